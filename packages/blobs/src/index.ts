export { type BlobStore, openBlobStore } from './blob-store.ts';
export { compressBody, decompressBody } from './compress.ts';
export { deletePassed, getPassing, keepForAWhile } from './passing.ts';
export { packRawAnswer, type RawAnswer, unpackRawAnswer } from './raw-answer.ts';
