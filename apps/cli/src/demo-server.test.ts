import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoSite, serveDemoSite } from './demo-server.ts';

let site: DemoSite;
beforeAll(async () => {
  site = await serveDemoSite();
});
afterAll(() => site.close());

/** Follows every link from the start page, as a crawler would. */
async function walk(): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const waiting = ['/'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (statuses.has(path)) continue;
    const reply = await fetch(new URL(path, site.url), { redirect: 'manual' });
    statuses.set(path, reply.status);
    const body = await reply.text();
    if (reply.status === 200) for (const [, href] of body.matchAll(/href="(\/[^"]*)"/g)) if (href) waiting.push(href);
  }
  return statuses;
}

describe('the demo site', () => {
  it('leads to each of its pages, one redirect and one broken link', async () => {
    const statuses = await walk();
    const withStatus = (status: number): string[] =>
      [...statuses].filter(([, s]) => s === status).map(([path]) => path);
    expect(withStatus(200).sort()).toEqual([...site.paths].sort());
    expect(site.paths.length).toBeGreaterThanOrEqual(12);
    expect(withStatus(301)).toEqual(['/start']);
    expect(withStatus(404)).toEqual(['/reference/tide-tables-2019']);
    expect(statuses.size).toBe(site.paths.length + 2);
  });

  it('serves nothing but its pages', async () => {
    const reply = await fetch(new URL('/..%2f..%2fpackage.json', site.url));
    expect(reply.status).toBe(404);
  });
});
