export type { Chunk, ChunkOptions } from './chunk.ts';
export { type DecodedHtml, decodeHtml } from './decode.ts';
export { type ExtractedPage, type ExtractOptions, extractPage } from './extract.ts';
export type { PageLink } from './links.ts';
export type { PageMetadata } from './metadata.ts';
export { findNearDuplicates, type HashedPage } from './near-duplicates.ts';
export { phraseSample } from './phrase-sample.ts';
export { type RobotsDirectives, readRobotsTags } from './robots-directives.ts';
export { hammingDistance, simhash } from './simhash.ts';
export { createSitemapReader, type SitemapReader, type SitemapReaderOptions } from './sitemap/reader.ts';
export type {
  ChangeFrequency,
  SitemapBatch,
  SitemapEntry,
  SitemapFormat,
  SitemapProblem,
  SitemapProblemCode,
  SitemapReport,
} from './sitemap/sitemap.ts';
