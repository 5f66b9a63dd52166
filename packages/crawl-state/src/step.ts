/** One flush of a fetch session: settles what is done, renews the session, claims again. One round trip, bodies included. */
import type { UrlError, UrlKey } from '@trawl/contracts';
import { unpackRequestUrl } from '@trawl/url';
import { type Link, packLink } from './admit.ts';
import type { SessionRef } from './begin.ts';
import { bodyKey } from './keys.ts';
import { list, type Owed, owedOf } from './owed.ts';
import { type Rendering, renderingOf } from './rendering.ts';
import { callAfter, type StateContext, script } from './script.ts';

const lua = script('step');

/** A URL in a worker's hands. Whoever settles it shows the token. */
export interface Claim {
  readonly key: UrlKey;
  readonly token: string;
  readonly url: string;
  readonly depth: number;
  /** Failures so far. */
  readonly attempts: number;
  /** What was found to be known of it when it was claimed before; null: not looked at yet. */
  readonly age: PageAge | null;
}

/** A page of an earlier run, in a run that asks only for what may have changed. New ones come first, then stale ones, fresh ones last. */
export type PageAge = 'stale' | 'fresh';
/** As `task.lua` counts them. */
const AGES: Readonly<Record<PageAge, string>> = { stale: '4', fresh: '5' };
const ageOf = (rank: string): PageAge | null => (rank === AGES.stale ? 'stale' : rank === AGES.fresh ? 'fresh' : null);

/** What is known of the answer when a URL ends without being processed; becomes its row at finalization. */
export interface Failure {
  readonly error: UrlError;
  readonly httpStatus?: number | null;
  readonly contentType?: string | null;
  readonly bytes?: number | null;
  readonly elapsedMs?: number | null;
  readonly finalUrl?: string | null;
  readonly at: number;
}

/** What the process worker is told of a fetched page. */
export interface PageInfo {
  readonly httpStatus: number;
  readonly contentType: string | null;
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly crawledAt: number;
  /** Values of its X-Robots-Tag headers. */
  readonly robotsTags?: readonly string[];
  readonly etag?: string;
  readonly lastModified?: string;
  /** Where a browser ended, if not where it began. */
  readonly finalUrl?: string;
  /** Of the body as it came. */
  readonly bodyHash?: string;
  /** It is as the source knows it, and has no body: by a 304, by an equal body, or because it was not due and not asked for. */
  readonly unchanged?: 'not-modified' | 'same-body' | 'fresh';
  /** Its body is what a browser made of it; and whether that is more than what the server sent. */
  readonly rendered?: {
    readonly gained: boolean;
    /** It was taken before it was at rest. */
    readonly isRestless?: true;
  };
  /** The blob with a picture of it, among those of the run. */
  readonly shotRef?: string;
  /** A worker with a browser had it: what it has of it is final. */
  readonly seenByRenderer?: true;
  /** What the answer began with; only where the run keeps answers as they came. */
  readonly head?: {
    readonly statusText: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
  };
}

/** Stands for the body of a page that is unchanged. */
export const UNCHANGED_BODY = '=';

export type StepResult = { readonly key: UrlKey; readonly token: string } & (
  | { readonly kind: 'ok'; readonly body: InlineBody | BlobBody; readonly info: PageInfo }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly failure: Failure }
  | { readonly kind: 'fail' | 'skip'; readonly failure: Failure }
  | { readonly kind: 'redirect'; readonly target: Link; readonly failure: Failure }
  /** A redirect to another spelling of the same page (http to https, a trailing slash): asked for again there. */
  | { readonly kind: 'moved'; readonly to: Link }
  | { readonly kind: 'unused' }
  /** Never started, and not before then: it waits for something that is not its own fault. No attempt is counted. */
  | { readonly kind: 'later'; readonly afterMs: number }
  /** Never started: it waits in the place that its age gives it. */
  | { readonly kind: 'aged'; readonly age: PageAge }
  /** Never started: a worker with a browser is to have it. */
  | { readonly kind: 'render' }
);

/** A small body goes into Redis with the step; a large one is in the blob store already. */
interface InlineBody {
  readonly bytes: Buffer;
}
interface BlobBody {
  readonly ref: string;
}

/** A body that nobody came for: longer than any queue, shorter than for ever. */
const BODY_TTL_MS = 24 * 3600_000;

/** How a body in Redis is told from a reference of the blob store. */
const INLINE = 'redis:';
const inlineBodyName = (token: string): string => `${INLINE}${token}`;
export function inlineBodyToken(body: string): string | null {
  return body.startsWith(INLINE) ? body.slice(INLINE.length) : null;
}

export type StepReply =
  | { kind: 'over' }
  | {
      kind: 'stepped';
      claims: readonly Claim[];
      discovering: boolean;
      rendering: Rendering;
      whyNone: WhyNone | null;
      owed: Owed;
    };
type WhyNone = 'dry' | 'held' | 'paused' | 'lost';

export async function step(
  context: StateContext,
  session: SessionRef,
  results: readonly StepResult[],
  want: number,
): Promise<StepReply> {
  const { runId, ...ref } = session;
  const { reply } = await callAfter(
    context,
    (pipeline) => {
      // Ahead of the script that refers to them: dying in between costs one more request, never a fetched URL without a body.
      for (const r of results) {
        if (r.kind === 'ok' && 'bytes' in r.body) {
          pipeline.set(bodyKey(context.prefix, runId, r.token), r.body.bytes, 'PX', BODY_TTL_MS);
        }
      }
    },
    lua,
    runId,
    { ...ref, want, results: results.map(packResult) },
  );
  if ('over' in reply) return { kind: 'over' };
  return {
    kind: 'stepped',
    claims: list<Omit<Claim, 'age'> & { rank: string }>(reply.claims).map(({ rank, ...c }) => ({
      ...c,
      url: unpackRequestUrl(c.key, c.url),
      age: ageOf(rank),
    })),
    discovering: reply.discovering === true,
    rendering: renderingOf(reply),
    whyNone: (reply.why as WhyNone | undefined) ?? null,
    owed: owedOf(reply),
  };
}

function packResult(result: StepResult): unknown {
  const { key, token, kind } = result;
  switch (kind) {
    case 'ok':
      return {
        key,
        token,
        kind,
        body: 'ref' in result.body ? result.body.ref : inlineBodyName(token),
        info: JSON.stringify(result.info),
      };
    case 'redirect':
      return { key, token, kind, target: packLink(result.target), failure: JSON.stringify(result.failure) };
    case 'moved':
      return { key, token, kind, url: packLink(result.to)[1] };
    case 'retry':
      return { key, token, kind, afterMs: result.afterMs, failure: JSON.stringify(result.failure) };
    case 'unused':
    case 'render':
      return { key, token, kind };
    case 'later':
      return { key, token, kind, afterMs: result.afterMs };
    case 'aged':
      return { key, token, kind: 'rank', rank: AGES[result.age] };
    default:
      return { key, token, kind, failure: JSON.stringify(result.failure) };
  }
}
