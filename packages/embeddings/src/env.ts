/** The settings of embeddings: the same for every role that reads them. Without `EMBEDDINGS_URL` there are none. */
import { count } from '@trawl/runtime';
import { z } from 'zod';

export const embeddingsEnv = {
  /** Base of an OpenAI-compatible API, e.g. https://api.example/v1. */
  EMBEDDINGS_URL: z
    .string()
    .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
      error: 'must be a URL that starts with http:// or https://',
    })
    .optional(),
  EMBEDDINGS_MODEL: z.string().min(1).max(200).optional(),
  EMBEDDINGS_API_KEY: z
    .string()
    .max(2000)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
    .optional(),
  /** Asked for where the model can be asked for fewer than it has. */
  EMBEDDINGS_DIMENSIONS: count(1, 16_000).optional(),
  /** Texts of one request. */
  EMBEDDINGS_BATCH: count(1, 2048).default(64),
  EMBEDDINGS_TIMEOUT_SECONDS: count(1, 600).default(30),
};

export type EmbeddingsEnv = z.output<z.ZodObject<typeof embeddingsEnv>>;

/** For `superRefine` of a role's schema: a URL without a model, or the other way round, is half a configuration. */
export function checkEmbeddingsEnv(env: EmbeddingsEnv, ctx: z.core.$RefinementCtx): void {
  const missing = (path: string) => ctx.addIssue({ code: 'custom', path: [path], message: 'is required', input: env });
  if (env.EMBEDDINGS_URL !== undefined && env.EMBEDDINGS_MODEL === undefined) missing('EMBEDDINGS_MODEL');
  if (env.EMBEDDINGS_MODEL !== undefined && env.EMBEDDINGS_URL === undefined) missing('EMBEDDINGS_URL');
}
