export { type EmbedAnswer, type Embeddings, openEmbeddings } from './embeddings.ts';
export { checkEmbeddingsEnv, type EmbeddingsEnv, embeddingsEnv } from './env.ts';
