/**
 * robots.txt as the whole fleet knows it: each origin's file is asked for once, kept in Redis with an age, and parsed once per
 * process. Does not request it (the session does, through the host's gate) and does not decide what an unreachable one means.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type LuaScript, runLua } from '@trawl/runtime';
import type { Redis } from 'ioredis';
import { robotsKeys } from './keys.ts';
import { parseRobotsTxt, type RobotsTxt } from './robots/robots-txt.ts';
import { gateScript } from './script.ts';

/** How long a lease on asking lives without being renewed. As long as every other lease: a death costs no more. */
const ASK_LEASE_MS = 8000;
/** Parsed files a process remembers. */
const MAX_PARSED = 500;

const readScript = gateScript('read-robots');
const askScript = gateScript('ask-robots');
const keepScript = gateScript('keep-robots');

export type AskResult =
  | { readonly kind: 'known'; readonly robots: RobotsTxt }
  /** The caller has the lease: it asks, and says what came of it. */
  | { readonly kind: 'ask'; readonly token: string; readonly failingForMs: number; readonly reason: string | null }
  /** Somebody else is asking. */
  | { readonly kind: 'busy' };

/** What became of asking. `version` and parsing are the cache's business. */
export type RobotsAnswer =
  | { readonly kind: 'found'; readonly text: string; readonly maxAgeMs: number }
  | { readonly kind: 'failed'; readonly reason: string }
  /** Not asked after all: the next one may. */
  | { readonly kind: 'dropped' };

/** The robots.txt files of one host, as of a moment; what it learns stays in it. */
export interface HostRobots {
  /** Null: not known, or too old. */
  of(origin: string): RobotsTxt | null;
  /** The longest Crawl-delay that any known origin of the host gives this agent, in seconds. */
  crawlDelaySeconds(productToken: string): number | null;
  ask(origin: string): Promise<AskResult>;
  /** Keeps the lease while an answer takes long. */
  renew(origin: string, token: string): Promise<void>;
  keep(origin: string, token: string, answer: RobotsAnswer): Promise<void>;
}

export interface RobotsCache {
  read(host: string): Promise<HostRobots>;
}

interface Entry {
  readonly version?: string;
  readonly expiresAt: number;
  readonly failingSince?: number;
  readonly reason?: string;
}

export function createRobotsCache(redis: Redis, o: { prefix?: string } = {}): RobotsCache {
  const prefix = o.prefix ?? '';
  const parsed = new Map<string, RobotsTxt>();

  const parse = (origin: string, text: string): RobotsTxt => {
    // By content and origin: relative sitemap addresses depend on where the file stands.
    const id = `${origin} ${versionOf(text)}`;
    const known = parsed.get(id);
    if (known) return known;
    const robots = parseRobotsTxt(text, `${origin}/robots.txt`);
    if (parsed.size >= MAX_PARSED) parsed.delete(parsed.keys().next().value ?? '');
    parsed.set(id, robots);
    return robots;
  };

  return {
    async read(host) {
      const [robotsKey, textKey] = robotsKeys(prefix, host);
      const known = new Map<string, { robots: RobotsTxt; until: number }>();

      const remember = async (origin: string, entry: Entry, now: number): Promise<RobotsTxt | null> => {
        if (entry.version === undefined || entry.expiresAt <= now) return null;
        let robots = parsed.get(`${origin} ${entry.version}`);
        if (!robots) {
          const text = await redis.hget(textKey, origin);
          if (text === null) return null;
          robots = parse(origin, text);
        }
        known.set(origin, { robots, until: performance.now() + entry.expiresAt - now });
        return robots;
      };
      const run = (script: LuaScript, keys: readonly string[], args: readonly (string | number)[]) =>
        runLua(redis, script, keys, args);

      const [now, ...entries] = (await run(readScript, [robotsKey], [])) as [number, ...string[]];
      for (let i = 0; i < entries.length; i += 2)
        await remember(entries[i] ?? '', JSON.parse(entries[i + 1] ?? '{}') as Entry, now);

      const host_: HostRobots = {
        of(origin) {
          const entry = known.get(origin);
          return entry && entry.until > performance.now() ? entry.robots : null;
        },
        crawlDelaySeconds(productToken) {
          const delays = [...known.values()].map(({ robots }) => robots.forAgent(productToken).crawlDelaySeconds);
          return delays.reduce((longest, delay) => (delay === null ? longest : Math.max(longest ?? 0, delay)), null);
        },
        async ask(origin) {
          const token = randomBytes(8).toString('hex');
          const reply = await run(askScript, [robotsKey], [origin, token, ASK_LEASE_MS]);
          const [at, kind, packed] = reply as [number, 'known' | 'ask' | 'busy', string];
          const entry = JSON.parse(packed) as Entry;
          if (kind === 'busy') return { kind };
          if (kind === 'known') {
            const robots = await remember(origin, entry, at);
            // Its text is gone though its entry is not (somebody deleted a key): all we can do is wait for its age.
            return robots ? { kind, robots } : { kind: 'busy' };
          }
          const failingForMs = entry.failingSince === undefined ? 0 : at - entry.failingSince;
          return { kind, token, failingForMs, reason: entry.reason ?? null };
        },
        async renew(origin, token) {
          await run(askScript, [robotsKey], [origin, token, ASK_LEASE_MS]);
        },
        async keep(origin, token, answer) {
          const text = answer.kind === 'found' ? answer.text : '';
          const maxAgeMs = answer.kind === 'found' ? Math.ceil(answer.maxAgeMs) : 0;
          const about = answer.kind === 'found' ? versionOf(text) : answer.kind === 'failed' ? answer.reason : '';
          await run(keepScript, [robotsKey, textKey], [origin, token, answer.kind, about, text, maxAgeMs]);
          // Even if the lease was lost meanwhile: it is what the server says now.
          if (answer.kind === 'found')
            known.set(origin, { robots: parse(origin, text), until: performance.now() + maxAgeMs });
        },
      };
      return host_;
    },
  };
}

const versionOf = (text: string): string => createHash('sha1').update(text).digest('base64url');
