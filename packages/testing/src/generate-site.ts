/**
 * Invents a web site: the same one for the same options, with every page reachable from `/`. A fifth of it is one deep
 * chain, a few pages are hubs that link far and wide, and the rest is a tree with cross links. Serves nothing.
 */
import type { SitePage } from './site.ts';

export interface GenerateSiteOptions {
  readonly pages: number;
  /** 1 unless given. */
  readonly seed?: number;
  /** Cross links of an ordinary page, besides those that hold the site together. 5 unless given. */
  readonly linksPerPage?: number;
  /** Paragraphs of a page. 4 unless given. */
  readonly paragraphs?: number;
}

const WORDS =
  'anchor basin beacon bridge canal cargo chart coast compass current deck depth dock drift ferry fleet galley gauge harbor haul hull island jetty keel lagoon ledger lantern mast mooring net oar pier pilot quay reef rigging rope rudder sail salt shoal signal sounding spar stern strait tide timber trawl vessel voyage wake watch wave weather wharf winch wind'.split(
    ' ',
  );

export function generateSite(options: GenerateSiteOptions): Map<string, SitePage> {
  const { pages, seed = 1, linksPerPage = 5, paragraphs = 4 } = options;
  if (!Number.isInteger(pages) || pages < 1) throw new RangeError(`a site has at least one page, not ${pages}`);
  const random = generator(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const chainLength = Math.floor(pages / 5);
  const hubEvery = 50;
  const links: Set<number>[] = Array.from({ length: pages }, () => new Set());
  const link = (from: number, to: number) => {
    if (from !== to) links[from]?.add(to);
  };
  for (let page = 1; page < pages; page++) {
    // The last fifth is the chain; before it, each page hangs below one that came earlier.
    link(page > pages - chainLength ? page - 1 : below(Math.min(page, pages - chainLength)), page);
  }
  for (let page = 0; page < pages; page++) {
    // Cross links never point into the chain: a short cut would make it less deep.
    const targets = Math.max(1, pages - chainLength);
    const count = page % hubEvery === 0 ? linksPerPage * 8 : linksPerPage;
    for (let i = 0; i < count; i++) link(page, below(targets));
  }
  const site = new Map<string, SitePage>();
  for (let page = 0; page < pages; page++) {
    const targets = [...(links[page] ?? [])].map((to) => ({ path: pathOf(to), text: words(2, below) }));
    site.set(pathOf(page), { body: html(page, targets, paragraphs, below) });
  }
  return site;
}

/** A few folders, so that path filters have something to filter. */
function pathOf(page: number): string {
  if (page === 0) return '/';
  const folder = ['docs', 'guide', 'blog', 'reference'][page % 4] ?? 'docs';
  return `/${folder}/page-${page}`;
}

type Below = (limit: number) => number;

function words(count: number, below: Below): string {
  return Array.from({ length: count }, () => WORDS[below(WORDS.length)]).join(' ');
}

function html(
  page: number,
  links: readonly { path: string; text: string }[],
  paragraphs: number,
  below: Below,
): string {
  const title = `Page ${page}: ${words(3, below)}`;
  const sections = Array.from({ length: paragraphs }, (_, index) => {
    const list = index % 2 === 1 ? `<ul>${`<li>${words(4, below)}</li>`.repeat(3)}</ul>` : '';
    return `<h2>${words(2, below)}</h2><p>${words(40, below)}.</p>${list}`;
  });
  const navigation = links.map(({ path, text }) => `<li><a href="${path}">${text}</a></li>`).join('');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>${sections.join('')}</main><nav><ul>${navigation}</ul></nav></body></html>`;
}

/** mulberry32: 32 bits of state are plenty for link graphs, and it is the same on every machine. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
