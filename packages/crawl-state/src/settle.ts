/** Pages whose rows are committed: their links come in, then they are processed, in one step. */
import type { Refusal, RunId, UrlKey } from '@trawl/contracts';
import { type Link, packLink } from './admit.ts';
import { list, type Owed, owedOf } from './owed.ts';
import type { RenderOutcome } from './rendering.ts';
import { call, type StateContext, script } from './script.ts';
import type { Failure } from './step.ts';

const lua = script('settle');

export type SettledPage = { readonly key: UrlKey; readonly token: string } & (
  | {
      readonly kind: 'ok';
      readonly url: string;
      /** The depth that `links` were filtered for by the caller's memory of known links. */
      readonly depth: number;
      readonly links: readonly Link[];
      readonly refused: Partial<Record<Refusal, number>>;
      /** Fingerprint of the text: a new one lets more pages of this kind in. */
      readonly print: string;
      /** Of a page of an endless kind: a sample of its phrases. */
      readonly sample?: readonly string[];
      /** The page is not kept, by its own wish; its links count all the same. */
      readonly skipped?: Failure;
      /** What is learned of rendering pages like it. */
      readonly render?: { readonly template: string; readonly as: RenderOutcome };
      /** A browser would have made more of it, and there was none. */
      readonly unrendered?: true;
      /** A browser had it, and gave up waiting for it to come to rest. */
      readonly restless?: true;
    }
  /** An empty shell: fetched again, by a worker with a browser. */
  | { readonly kind: 'render'; readonly template: string }
  /** Its body is nowhere to be found: fetched again. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly failure: Failure }
);

export type SettleResult =
  | { kind: 'settled'; done: ReadonlySet<UrlKey>; owed: Owed }
  /** The run is over; nothing was changed. */
  | { kind: 'over' };

export async function settle(
  context: StateContext,
  runId: RunId,
  pages: readonly SettledPage[],
): Promise<SettleResult> {
  const reply = await call(context, lua, runId, {
    pages: pages.map((p) => {
      if (p.kind === 'ok') {
        const { skipped, ...page } = p;
        return { ...page, links: p.links.map(packLink), ...(skipped && { skipped: JSON.stringify(skipped) }) };
      }
      return p.kind === 'failed' ? { ...p, failure: JSON.stringify(p.failure) } : p;
    }),
  });
  if ('over' in reply) return { kind: 'over' };
  return { kind: 'settled', done: new Set(list<UrlKey>(reply.done)), owed: owedOf(reply) };
}
