/**
 * The yardstick: the least a crawler can do. Requests through undici, links through a streaming htmlparser2, a set in
 * memory, markdown through mdream's native converter. No durability, no politeness, no retries; nothing survives it.
 */
import { StringDecoder } from 'node:string_decoder';
import { Parser } from 'htmlparser2';
import { htmlToMarkdown } from 'mdream';
import type { Pool } from 'undici';

export interface BareCrawl {
  readonly pages: readonly string[];
  /** URLs that did not answer 200. */
  readonly failed: readonly string[];
  readonly elapsedMs: number;
  readonly markdownChars: number;
}

export const CONCURRENCY = 32;

/** Everything HTML that links lead to from `start` within its host. Only `.html` is asked for: the sites' own pages. */
export async function bareCrawl(start: string, pool: Pool): Promise<BareCrawl> {
  const startedAt = performance.now();
  const { origin } = new URL(start);
  const seen = new Set([start]);
  const queue = [start];
  const pages: string[] = [];
  const failed: string[] = [];
  let markdownChars = 0;
  let next = 0;
  let active = 0;
  const over = Promise.withResolvers<void>();

  const visit = async (url: string): Promise<void> => {
    const { statusCode, body } = await pool.request({ path: url.slice(origin.length), method: 'GET' });
    if (statusCode !== 200) {
      await body.dump();
      failed.push(url);
      return;
    }
    const hrefs = new Set<string>();
    const parser = hrefParser(hrefs);
    const decoder = new StringDecoder('utf8');
    let html = '';
    for await (const chunk of body) {
      const text = decoder.write(chunk as Buffer);
      parser.write(text);
      html += text;
    }
    parser.end();
    for (const href of hrefs) {
      const link = URL.parse(href, url);
      if (link?.origin !== origin || !link.pathname.endsWith('.html') || seen.has(link.href)) continue;
      seen.add(link.href);
      queue.push(link.href);
    }
    markdownChars += htmlToMarkdown(html, { origin: url }).length;
    pages.push(url);
  };

  const startMore = (): void => {
    while (active < CONCURRENCY) {
      const url = queue[next];
      if (url === undefined) break;
      next += 1;
      active += 1;
      visit(url).then(() => {
        active -= 1;
        startMore();
      }, over.reject);
    }
    if (active === 0) over.resolve();
  };
  startMore();
  await over.promise;
  return { pages, failed, elapsedMs: performance.now() - startedAt, markdownChars };
}

/** Collects what `<a href>` says, without its fragment, each once per page. */
function hrefParser(hrefs: Set<string>): Parser {
  let inAnchor = false;
  return new Parser({
    onopentagname(name) {
      inAnchor = name === 'a';
    },
    onattribute(name, value) {
      if (!inAnchor || name !== 'href') return;
      const hash = value.indexOf('#');
      const href = hash < 0 ? value : value.slice(0, hash);
      if (href !== '') hrefs.add(href);
    },
  });
}
