/** Which of a page's links a run wants: the rules' verdict on each, once per page, and why the others were refused. */
import type { Refusal, RunConfig, UrlKey } from '@trawl/contracts';
import type { Link } from '@trawl/crawl-state';
import type { UrlRules } from '@trawl/url';
import type { KnownLinks } from './known-links.ts';

export interface PageLinks {
  readonly links: readonly Link[];
  readonly refused: Partial<Record<Refusal, number>>;
}

export function pageLinks(
  page: {
    url: string;
    links: readonly { url: string; rel: string }[] /** Of the whole page, where the run obeys that. */;
    nofollow: boolean;
    canonicalUrl: string | null;
  },
  config: RunConfig,
  rules: UrlRules,
): PageLinks {
  const links = new Map<UrlKey, Link>();
  const refused: Partial<Record<Refusal, number>> = {};
  const refuse = (reason: Refusal): void => {
    refused[reason] = (refused[reason] ?? 0) + 1;
  };
  const offer = (url: string): void => {
    const verdict = rules.check(url, page.url);
    if (verdict.kind === 'refused') refuse(verdict.reason);
    else if (!links.has(verdict.link.key)) links.set(verdict.link.key, verdict.link);
  };
  for (const link of page.links) {
    if (page.nofollow || (config.respectNofollow && isNofollow(link.rel))) refuse('nofollow');
    else offer(link.url);
  }
  if (page.canonicalUrl !== null) offer(page.canonicalUrl);
  return { links: [...links.values()], refused };
}

/** Deeper than the run goes: not even sent. Should the page's depth fall meanwhile, it is linked again from its row. */
export function wantedLinks(
  links: readonly Link[],
  depth: number,
  config: RunConfig,
  known: KnownLinks,
): readonly Link[] {
  if (depth >= config.maxDepth || config.mode !== 'crawl') return [];
  return links.filter((link) => !known.has(link.key, depth + 1));
}

const isNofollow = (rel: string): boolean => rel !== '' && /(?:^|\s)nofollow(?:\s|$)/i.test(rel);
