export { type Chunk, type ChunkOptions, cutChunks } from './chunk/cut.ts';
export { countTokens } from './chunk/tokens.ts';
export { type DecodedHtml, type DecodedText, decodeHtml, decodeText } from './decode.ts';
export {
  type DocumentOptions,
  documentKind,
  type ExtractedDocument,
  extractDocument,
} from './document/document.ts';
export { createDocumentReader, type DocumentReader } from './document/document-reader.ts';
export { UnreadableDocument } from './document/unreadable.ts';
export { type ExtractedPage, type ExtractOptions, extractPage, readShell } from './extract.ts';
export type { PageLink } from './links.ts';
export type { PageMetadata } from './metadata.ts';
export { findNearDuplicates, type HashedPage } from './near-duplicates.ts';
export { phraseSample } from './phrase-sample.ts';
export { type RobotsDirectives, readRobotsTags } from './robots-directives.ts';
export type { Shell } from './shell.ts';
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
