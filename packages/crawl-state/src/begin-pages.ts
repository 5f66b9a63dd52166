/** A process job takes its pages and their bodies, in one round trip; called again by the same execution it renews their leases. */
import type { RunId, UrlKey } from '@trawl/contracts';
import { unpackRequestUrl } from '@trawl/url';
import { bodyKey } from './keys.ts';
import { list, type PageRef } from './owed.ts';
import { type Rendering, renderingOf } from './rendering.ts';
import { call, callAfter, type StateContext, script } from './script.ts';
import { parseSettings, type RunSettings } from './settings.ts';
import { inlineBodyToken, type PageInfo } from './step.ts';

const lua = script('begin-pages');

/** A fetched page in a worker's hands. */
export interface HeldPage {
  readonly key: UrlKey;
  readonly token: string;
  readonly url: string;
  readonly depth: number;
  /** Requests it took. */
  readonly attempts: number;
  readonly parentUrl: string | null;
  readonly info: PageInfo;
  readonly body: string;
  /** The body if it is kept in Redis; null if it is gone from there, or kept in the blob store. */
  readonly bytes: Buffer | null;
}

export type BeginPagesResult =
  | { kind: 'begun'; settings: RunSettings; rendering: Rendering; pages: readonly HeldPage[] }
  /** The run is over, or other workers have all of these pages. */
  | { kind: 'none' };

export async function beginPages(
  context: StateContext,
  runId: RunId,
  exec: string,
  refs: readonly PageRef[],
): Promise<BeginPagesResult> {
  const inline = refs.map((ref) => inlineBodyToken(ref.body)).filter((token) => token !== null);
  const { reply, before } = await callAfter(
    context,
    (pipeline) => {
      for (const token of inline) pipeline.getBuffer(bodyKey(context.prefix, runId, token));
    },
    lua,
    runId,
    { exec, pages: refs },
  );
  const pages = list<{
    key: UrlKey;
    token: string;
    url: string;
    depth: number;
    attempts: number;
    parent?: string;
    body: string;
    info: string;
  }>(reply.pages);
  if ('over' in reply || pages.length === 0) return { kind: 'none' };
  const bodies = new Map(inline.map((token, i) => [token, before[i] as Buffer | null]));
  return {
    kind: 'begun',
    settings: parseSettings(String(reply.settings)),
    rendering: renderingOf(reply),
    pages: pages.map((p) => ({
      key: p.key,
      token: p.token,
      url: unpackRequestUrl(p.key, p.url),
      depth: p.depth,
      attempts: p.attempts + 1,
      parentUrl: p.parent ?? null,
      info: JSON.parse(p.info) as PageInfo,
      body: p.body,
      bytes: bodies.get(inlineBodyToken(p.body) ?? '') ?? null,
    })),
  };
}

/** Keeps the leases of pages that take long. */
export async function renewPages(
  context: StateContext,
  runId: RunId,
  exec: string,
  pages: readonly HeldPage[],
): Promise<void> {
  await call(context, lua, runId, { exec, pages: pages.map(({ key, token }) => ({ key, token })) });
}
