/**
 * Reads a page in one pass: which elements are content, which are chrome around it, where links lead, and what the head
 * says. Markdown itself is the writer's.
 */
import { isChrome } from './chrome.ts';
import { LinkReader } from './link-reader.ts';
import { MainContent } from './main-content.ts';
import { type Block, MarkdownWriter } from './markdown.ts';
import type { Attributes, ElementMark, MarkupHandler } from './markup.ts';
import { HeadCollector } from './metadata.ts';
import { collapseSpace } from './space.ts';
import type { Tag } from './tags.ts';

/** What an open element stands for; 0 is nothing to undo. */
const NOTHING = 0;
const DROPPED = 1;
const WRITTEN = 2;
const MAIN = 3;
const ARTICLE = 4;
/** A further `<main>` or `<article>`. */
const CONTENT = 5;
/** A script or style sheet. */
const RAW = 6;

const LANGUAGE_CLASS = /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-)([\w+#-]{1,20})(?:\s|$)/;
export class PageReader implements MarkupHandler {
  readonly head = new HeadCollector();
  readonly links: LinkReader;
  readonly writer = new MarkdownWriter();

  readonly #content = new MainContent(this.writer);
  #dropDepth = 0;
  #firstHeading: string | null = null;

  /** Inside a script or style sheet, and what it says if it is structured data. */
  #rawDepth = 0;
  #jsonLd: string | null = null;
  #title: string | null = null;
  /** Sphinx names the language of a `<pre>` two elements further out. */
  #outerLanguage = '';

  constructor(url: string) {
    this.links = new LinkReader(url);
  }

  open(tag: Tag, attributes: Attributes): ElementMark {
    // Links count wherever they are, scripts nowhere: not even as the text of a link around them.
    if (tag.kind === 'anchor') this.links.openAnchor(attributes);
    else if (tag.kind === 'map-area' || tag.kind === 'frame') this.links.addEmpty(tag, attributes);
    else if (tag.kind === 'script' || tag.name === 'style') return this.#openRaw(tag, attributes);
    if (this.#dropDepth > 0) return NOTHING;
    if (isChrome(tag, attributes, this.#content.isInside())) {
      if (tag.isVoid) return NOTHING;
      this.#dropDepth++;
      return DROPPED;
    }
    return this.#openContent(tag, attributes);
  }

  close(tag: Tag, mark: ElementMark): void {
    if (tag.kind === 'anchor') this.links.closeAnchor();
    switch (mark) {
      case NOTHING:
        if (this.#dropDepth === 0) this.#closePhrasing(tag);
        return;
      case DROPPED:
        this.#dropDepth--;
        return;
      case RAW:
        this.#closeRaw();
        return;
      case MAIN:
        this.#content.closeMain();
        return;
      case ARTICLE:
        this.#content.closeArticle();
        return;
      case CONTENT:
        this.#content.leave();
        return;
      default:
        this.#closeWritten(tag);
    }
  }

  text(text: string): void {
    if (this.#rawDepth > 0) {
      if (this.#jsonLd !== null) this.#jsonLd += text;
      return;
    }
    if (this.#title !== null) {
      this.#title += text;
      return;
    }
    if (this.links.addText(text) && this.#dropDepth === 0) this.writer.text(text);
  }

  /** To be called after the last piece of markup: what no tag ended ends here. */
  end(): void {
    this.links.closeAnchor();
    this.writer.endParagraph();
  }

  blocks(): readonly Block[] {
    return this.#content.blocks();
  }

  title(): string | null {
    return this.head.title ?? this.head.first('og:title', 'twitter:title') ?? this.#firstHeading;
  }

  #openContent(tag: Tag, attributes: Attributes): ElementMark {
    const { writer } = this;
    switch (tag.kind) {
      case 'phrase':
        return NOTHING;
      case 'anchor': {
        const target = this.links.target();
        if (target !== null) writer.inline.openLink(target);
        return NOTHING;
      }
      case 'code':
        if (!writer.isInCodeBlock()) writer.inline.openCode();
        else writer.nameLanguage(languageOf(attributes));
        return NOTHING;
      case 'emphasis':
        if (!writer.isInCodeBlock()) writer.inline.openMark('*');
        return NOTHING;
      case 'strong':
        if (!writer.isInCodeBlock()) writer.inline.openMark('**');
        return NOTHING;
      case 'strike':
        if (!writer.isInCodeBlock()) writer.inline.openMark('~~');
        return NOTHING;
      case 'break':
        writer.lineBreak();
        return NOTHING;
      case 'image':
        this.#addImage(attributes);
        return NOTHING;
      case 'block':
        writer.endParagraph();
        if (tag.name === 'div') {
          if (attributes.get('role') === 'main') return this.#content.openMain() ? MAIN : CONTENT;
          this.#outerLanguage = languageOf(attributes) || this.#outerLanguage;
        }
        return WRITTEN;
      case 'item':
        writer.openItem();
        return WRITTEN;
      case 'list': {
        const start = tag.name === 'ol' ? Number.parseInt(attributes.get('start') ?? '1', 10) : 1;
        writer.openList(tag.name === 'ol', start >= 0 && start < 1e9 ? start : 1);
        return WRITTEN;
      }
      case 'heading':
        writer.openHeading(tag.name.charCodeAt(1) - 48);
        return WRITTEN;
      case 'preformatted':
        writer.openCodeBlock(languageOf(attributes) || this.#outerLanguage);
        this.#outerLanguage = '';
        return WRITTEN;
      case 'term':
        writer.openTerm();
        return WRITTEN;
      case 'definition':
        writer.openDefinition();
        return WRITTEN;
      case 'table':
        writer.openTable();
        return WRITTEN;
      case 'row':
        writer.openRow();
        return WRITTEN;
      case 'cell':
        writer.openCell(tag.name === 'th', Number.parseInt(attributes.get('colspan') ?? '1', 10) || 1);
        return WRITTEN;
      case 'blockquote':
        writer.openQuote();
        return WRITTEN;
      case 'rule':
        writer.rule();
        return NOTHING;
      case 'main':
        return this.#content.openMain() ? MAIN : CONTENT;
      case 'article':
        return this.#content.openArticle() ? ARTICLE : CONTENT;
      case 'footer':
        writer.endParagraph();
        return WRITTEN;
      case 'meta':
        this.head.addMeta(attributes);
        return NOTHING;
      case 'link':
        this.head.addLink(attributes);
        return NOTHING;
      case 'base':
        this.links.setBase(attributes.get('href'));
        return NOTHING;
      case 'title':
        if (this.head.title === null) this.#title = '';
        return WRITTEN;
      case 'root':
        if (tag.name === 'html') this.head.language ??= attributes.get('lang');
        return NOTHING;
      default:
        return NOTHING;
    }
  }

  #closePhrasing(tag: Tag): void {
    const { inline } = this.writer;
    switch (tag.kind) {
      case 'anchor':
        inline.closeMark('[');
        return;
      case 'code':
        inline.closeCode();
        return;
      case 'emphasis':
        inline.closeMark('*');
        return;
      case 'strong':
        inline.closeMark('**');
        return;
      case 'strike':
        inline.closeMark('~~');
    }
  }

  #closeWritten(tag: Tag): void {
    const { writer } = this;
    switch (tag.kind) {
      case 'item':
      case 'definition':
      case 'blockquote':
        writer.closeIndent();
        return;
      case 'list':
        writer.closeList();
        return;
      case 'term':
        writer.closeTerm();
        return;
      case 'heading':
        this.#closeHeading();
        return;
      case 'preformatted':
        writer.closeCodeBlock();
        return;
      case 'table':
        writer.closeTable();
        return;
      case 'cell':
        writer.closeCell();
        return;
      case 'title':
        this.#closeTitle();
        return;
      default:
        writer.endParagraph();
    }
  }

  #closeHeading(): void {
    const before = this.writer.blocks.length;
    this.writer.closeHeading();
    this.#firstHeading ??= this.writer.blocks[before]?.text ?? null;
  }

  #closeTitle(): void {
    const title = collapseSpace(this.#title ?? '').trim();
    this.#title = null;
    if (title) this.head.title = title;
  }

  #openRaw(tag: Tag, attributes: Attributes): ElementMark {
    this.#rawDepth++;
    if (tag.kind === 'script' && isJsonLd(attributes.get('type'))) this.#jsonLd = '';
    return RAW;
  }

  #closeRaw(): void {
    this.#rawDepth--;
    if (this.#jsonLd !== null) this.head.addJsonLd(this.#jsonLd);
    this.#jsonLd = null;
  }

  #addImage(attributes: Attributes): void {
    const alt = attributes.get('alt')?.trim() ?? '';
    this.links.addImageText(alt);
    const source = attributes.get('src') ?? attributes.get('data-src');
    const resolved = source === null || source.startsWith('data:') ? null : this.links.resolve(source);
    if (resolved && !this.writer.isInCodeBlock()) this.writer.inline.appendImage(alt, resolved.url);
  }
}

function isJsonLd(type: string | null): boolean {
  return type !== null && type.trim().toLowerCase() === 'application/ld+json';
}

function languageOf(attributes: Attributes): string {
  const className = attributes.get('class');
  if (className === null) return '';
  const language = LANGUAGE_CLASS.exec(className)?.[1]?.toLowerCase() ?? '';
  return language === 'default' || language === 'text' || language === 'none' ? '' : language;
}
