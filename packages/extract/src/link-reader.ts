/** Follows the links of a page while it is read: the base they count from, the one that is open, and its text. */
import { createResolver, LinkList, type PageLink, type Resolved } from './links.ts';
import type { Attributes } from './markup.ts';
import { collapseSpace } from './space.ts';
import type { Tag } from './tags.ts';

/** What documentation tools put behind a heading to link to it. */
const PERMALINK_SIGN = /^\s*[¶#§🔗]\s*$/u;

export class LinkReader {
  readonly #pageUrl: string;
  readonly #links = new LinkList();
  #resolver: (href: string) => Resolved | null;
  #hasBase = false;
  #open: { resolved: Resolved; rel: string; text: string; isOnPage: boolean } | null = null;

  constructor(pageUrl: string) {
    this.#pageUrl = pageUrl;
    this.#resolver = createResolver(pageUrl);
  }

  resolve(href: string): Resolved | null {
    return this.#resolver(href);
  }

  /** Only the first `<base>` counts, also if it is no use. */
  setBase(href: string | null): void {
    if (this.#hasBase || href === null) return;
    this.#hasBase = true;
    const base = URL.parse(href, this.#pageUrl);
    if (base) this.#resolver = createResolver(base.href);
  }

  /** Links do not nest: a new one ends the one before. */
  openAnchor(attributes: Attributes): void {
    this.closeAnchor();
    const href = attributes.get('href');
    const resolved = href === null ? null : this.#resolver(href);
    if (href === null || !resolved) return;
    this.#open = { resolved, rel: relOf(attributes), text: '', isOnPage: href.startsWith('#') };
  }

  closeAnchor(): void {
    if (!this.#open) return;
    const { resolved, rel, text } = this.#open;
    this.#open = null;
    this.#links.add(resolved.url, collapseSpace(text).trim(), rel);
  }

  /** `<area>` and frames are links without text of their own. */
  addEmpty(tag: Tag, attributes: Attributes): void {
    const isFrame = tag.kind === 'frame';
    const href = attributes.get(isFrame ? 'src' : 'href');
    // An empty `src` shows nothing, while an empty `href` leads to the page itself.
    const resolved = href === null || (isFrame && href === '') ? null : this.#resolver(href);
    if (!resolved) return;
    this.#links.add(resolved.url, attributes.get('alt')?.trim() ?? '', isFrame ? 'frame' : relOf(attributes));
  }

  /** False for the sign of a permalink, which is no text of the page. */
  addText(text: string): boolean {
    if (!this.#open) return true;
    if (this.#open.isOnPage && PERMALINK_SIGN.test(text)) return false;
    this.#open.text += text;
    return true;
  }

  /** An image is the text of a link that has no other. */
  addImageText(alt: string): void {
    if (this.#open && this.#open.text === '') this.#open.text = alt;
  }

  /** Where the open link leads, with its fragment. */
  target(): string | null {
    return this.#open ? this.#open.resolved.url + this.#open.resolved.fragment : null;
  }

  toArray(): PageLink[] {
    return this.#links.toArray();
  }
}

function relOf(attributes: Attributes): string {
  return attributes.get('rel')?.trim().toLowerCase() ?? '';
}
