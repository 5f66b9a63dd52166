/** A page's HTML to all the pipeline wants to know of it: one parse, one tree, a few walks. */
import { chooseContent } from './content/main-content.ts';
import { decodeHtml } from './decode.ts';
import { parseHtml } from './dom/parse.ts';
import { contentHash, printText } from './fingerprint.ts';
import { detectLanguage } from './language.ts';
import type { PageLink } from './links.ts';
import { findFootnotes, NO_FOOTNOTES } from './markdown/footnotes.ts';
import { renderContent } from './markdown/render.ts';
import type { Block } from './markdown/writer.ts';
import type { PageMetadata } from './metadata.ts';
import type { RobotsDirectives } from './robots-directives.ts';
import { findShell, type Shell } from './shell.ts';
import { collapseSpace } from './space.ts';
import { Survey } from './survey.ts';

export interface ExtractOptions {
  /** Where the page came from: the base of its links. */
  readonly url: string;
  /** False keeps the whole body. */
  readonly mainContent: boolean;
  readonly includeSelectors: readonly string[];
  readonly excludeSelectors: readonly string[];
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
  /** Nothing but what a script is to fill. */
  readonly isShell: boolean;
}

/** Never throws on markup, and takes time in proportion to its length. */
export function extractPage(html: string, options: ExtractOptions): ExtractedPage {
  const root = parseHtml(html);
  const survey = new Survey(root, options.url);
  const { head, resolve } = survey;
  const { isShell } = findShell(root);
  const content = chooseContent(root, survey.body ?? root, head, options);
  const { blocks, outline } = renderContent(content, {
    footnotes: survey.mayHaveNotes ? findFootnotes(root) : NO_FOOTNOTES,
    outerTables: survey.outerTables,
    hasFormulas: survey.hasFormulas,
    resolve,
  });
  const text = joinText(blocks);
  const { wordCount, print } = printText(text);
  const metadata = head.metadata(resolve, { wordCount, outline });
  return {
    title: head.title ?? head.first('og:title', 'twitter:title') ?? survey.firstHeading,
    language: head.pageLanguage() ?? detectLanguage(text),
    text,
    markdown: joinMarkdown(blocks),
    links: survey.links(),
    canonicalUrl: metadata.canonicalUrl,
    robots: head.robots(options.productToken ?? 'robots'),
    metadata,
    contentHash: contentHash(foldSpace(blocks)),
    print,
    isShell,
  };
}

/** What of `extractPage` tells whether a browser would make more of a page, and how much there is without one. */
export function readShell(body: Buffer, contentType: string | null): Shell {
  return findShell(parseHtml(decodeHtml(body, contentType).html), Number.POSITIVE_INFINITY);
}

function joinText(blocks: readonly Block[]): string {
  let text = '';
  for (const block of blocks) if (block.text !== '') text += text === '' ? block.text : `\n${block.text}`;
  return text;
}

/** Only blocks of several lines hold more than single spaces, so the rest need not be looked at. */
function foldSpace(blocks: readonly Block[]): string {
  let folded = '';
  for (const { text } of blocks) {
    if (text !== '') folded += ` ${text.includes('\n') ? collapseSpace(text).trim() : text}`;
  }
  return folded;
}

function joinMarkdown(blocks: readonly Block[]): string {
  let markdown = '';
  for (const block of blocks) markdown += markdown === '' ? block.markdown : block.gap + block.markdown;
  return markdown;
}
