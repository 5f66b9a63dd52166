export type { Chunk, ChunkOptions } from './chunk.ts';
export { type DecodedHtml, decodeHtml } from './decode.ts';
export { type ExtractedPage, type ExtractOptions, extractPage } from './extract.ts';
export type { PageLink } from './links.ts';
export type { PageMetadata } from './metadata.ts';
export { type RobotsDirectives, readRobotsTags } from './robots-directives.ts';
