/** A page's HTML to all the pipeline wants to know of it, in one pass over the markup. */
import { type Chunk, type ChunkOptions, cutChunks } from './chunk.ts';
import { contentHash, printText } from './fingerprint.ts';
import type { PageLink } from './links.ts';
import type { Block } from './markdown.ts';
import { readMarkup } from './markup.ts';
import type { PageMetadata } from './metadata.ts';
import { PageReader } from './page.ts';
import type { RobotsDirectives } from './robots-directives.ts';
import { collapseSpace } from './space.ts';

export interface ExtractOptions {
  /** Where the page came from: the base of its links. */
  readonly url: string;
  /** Whether `markdown` is wanted; chunks are cut from it either way. */
  readonly markdown: boolean;
  readonly chunks: ChunkOptions;
  /** The crawler's name, as in robots.txt: a page may address it by that. */
  readonly productToken?: string;
}

export interface ExtractedPage {
  readonly title: string | null;
  readonly language: string | null;
  readonly text: string;
  readonly markdown: string;
  readonly links: readonly PageLink[];
  readonly canonicalUrl: string | null;
  readonly robots: RobotsDirectives;
  readonly metadata: PageMetadata;
  /** Equal for pages with the same text, white space aside. */
  readonly contentHash: string;
  /** Equal for pages with the same words, numbers and repetition aside. */
  readonly print: string;
  readonly chunks: readonly Chunk[];
}

/** Never throws on markup, and takes time in proportion to its length. */
export function extractPage(html: string, options: ExtractOptions): ExtractedPage {
  const reader = new PageReader(options.url);
  readMarkup(html, reader);
  reader.end();

  const blocks = reader.blocks();
  const text = joinText(blocks);
  const { wordCount, print } = printText(text);
  const resolve = (href: string): string | null => reader.links.resolve(href)?.url ?? null;
  const metadata = reader.head.metadata(resolve, wordCount);
  return {
    title: reader.title(),
    language: reader.head.pageLanguage(),
    text,
    markdown: options.markdown ? joinMarkdown(blocks) : '',
    links: reader.links.toArray(),
    canonicalUrl: metadata.canonicalUrl,
    robots: reader.head.robots(options.productToken ?? 'robots'),
    metadata,
    contentHash: contentHash(foldSpace(blocks)),
    print,
    chunks: cutChunks(blocks, options.chunks),
  };
}

function joinText(blocks: readonly Block[]): string {
  let text = '';
  for (const block of blocks) if (block.text !== '') text += text === '' ? block.text : `\n${block.text}`;
  return text;
}

function joinMarkdown(blocks: readonly Block[]): string {
  let markdown = '';
  for (const block of blocks) markdown += markdown === '' ? block.markdown : block.gap + block.markdown;
  return markdown;
}

/** Only code, tables and hard breaks hold more than single spaces, so the rest need not be looked at. */
function foldSpace(blocks: readonly Block[]): string {
  let folded = '';
  for (const { kind, text } of blocks) {
    if (text === '') continue;
    folded += ` ${kind === 'code' || text.includes('\n') ? collapseSpace(text).trim() : text}`;
  }
  return folded;
}
