/**
 * A robots.txt by RFC 9309: who may fetch what, how fast, and where the sitemaps are. Pure: whoever calls fetches the file,
 * decodes it as UTF-8, keeps it, and decides what a missing or failing one means. Why it isn't a library: docs/adr/0006.
 */
import { normalizeOctets } from './octets.ts';
import { leadingToken } from './product-token.ts';
import { type Directive, readDirectives } from './robots-lines.ts';
import { buildRuleIndex, type RuleLine } from './rule-index.ts';

export { productTokenOf } from './product-token.ts';
export { MAX_ROBOTS_BYTES } from './robots-lines.ts';

interface RobotsRule {
  readonly line: number;
  /** As 'Disallow: /private', at most 200 characters, fit to be stored and shown. */
  readonly text: string;
}

export interface RobotsVerdict {
  readonly allowed: boolean;
  /** Null: no rule matched. */
  readonly rule: RobotsRule | null;
}

interface AgentRules {
  /** `url` absolute; path and query decide. /robots.txt itself is always allowed. */
  verdict(url: string): RobotsVerdict;
  readonly crawlDelaySeconds: number | null;
}

export interface RobotsTxt {
  /** By product token (case-insensitive); groups that match are merged; none matches: the `*` groups; none of those: all allowed. */
  forAgent(productToken: string): AgentRules;
  /** Absolute http(s) URLs of Sitemap lines, in order, once each, whatever group they stand in. */
  readonly sitemaps: readonly string[];
}

interface Group {
  readonly rules: RuleLine[];
  readonly delaysSeconds: number[];
}

const MAX_RULE_TEXT_CHARS = 200;
/** A process crawls under a handful of names; more than this would be a leak, not a use. */
const MAX_REMEMBERED_AGENTS = 16;
const ANY_AGENT = '*';

/** Never throws: what can't be read is left out. Sitemaps are resolved against `baseUrl`. */
export function parseRobotsTxt(text: string, baseUrl: string): RobotsTxt {
  const directives = readDirectives(text);
  const groupsByAgent = collectGroups(directives);
  const remembered = new Map<string, AgentRules>();
  return {
    sitemaps: collectSitemaps(directives, baseUrl),
    forAgent(productToken) {
      const token = leadingToken(productToken).toLowerCase();
      // All tokens the file doesn't name share one entry.
      const agent = groupsByAgent.has(token) ? token : ANY_AGENT;
      const known = remembered.get(agent);
      if (known !== undefined) return known;
      const rules = compileAgent(groupsByAgent.get(agent) ?? new Set(), baseUrl);
      const [oldest] = remembered.keys();
      if (oldest !== undefined && remembered.size >= MAX_REMEMBERED_AGENTS) remembered.delete(oldest);
      remembered.set(agent, rules);
      return rules;
    },
  };
}

/**
 * Groups by the lowered token of each agent they are for. A group is User-agent lines in a row, then rules, up to the next
 * User-agent line. Sitemap and unknown lines are no rules and end nothing (RFC 9309 2.2.4). Crawl-delay is one: to a crawler that
 * obeys it, `User-agent: a`, `Crawl-delay: 5`, `User-agent: b`, `Disallow: /` are two groups, as their author meant them.
 */
function collectGroups(directives: readonly Directive[]): Map<string, Set<Group>> {
  const byAgent = new Map<string, Set<Group>>();
  let group: Group | null = null;
  let hasRules = false;
  for (const { name, value, line } of directives) {
    if (name === 'sitemap') continue;
    if (name === 'user-agent') {
      if (group === null || hasRules) group = { rules: [], delaysSeconds: [] };
      hasRules = false;
      // Without a token the line is for nobody, but what follows isn't for the agents above either.
      const agent = /^\*(?:\s|$)/.test(value) ? ANY_AGENT : leadingToken(value).toLowerCase();
      if (agent === '') continue;
      const groups = byAgent.get(agent);
      if (groups === undefined) byAgent.set(agent, new Set([group]));
      else groups.add(group);
      continue;
    }
    // Rules above the first User-agent line are for nobody.
    if (group === null) continue;
    hasRules = true;
    if (name !== 'crawl-delay') group.rules.push({ isAllow: name === 'allow', pattern: value, line });
    else if (/^(?:\d+\.?\d*|\.\d+)$/.test(value)) group.delaysSeconds.push(Number(value));
  }
  return byAgent;
}

function compileAgent(groups: ReadonlySet<Group>, baseUrl: string): AgentRules {
  const index = buildRuleIndex([...groups].flatMap((group) => group.rules));
  // The largest: of two wishes the one that surely pleases. `Infinity` is a number of some hundred digits.
  const delays = [...groups].flatMap((group) => group.delaysSeconds).filter(Number.isFinite);
  return {
    crawlDelaySeconds: delays.length === 0 ? null : delays.reduce((a, b) => Math.max(a, b)),
    verdict(url) {
      const path = pathOf(url, baseUrl);
      const decisive = path === '/robots.txt' ? null : index.find(path);
      return decisive === null
        ? { allowed: true, rule: null }
        : { allowed: decisive.isAllow, rule: { line: decisive.line, text: textOf(decisive) } };
    },
  };
}

/** Path and query as they are requested. What is no URL with a path is judged as `/`, the least that can be said of it. */
function pathOf(url: string, baseUrl: string): string {
  const parsed = URL.parse(url) ?? URL.parse(url, baseUrl);
  if (parsed === null) return '/';
  // From `href`, since `search` can't tell `/?` from `/`, and rules can.
  const { href, protocol } = parsed;
  const authority = `${protocol}//`;
  const start = href.startsWith(authority) ? href.indexOf('/', authority.length) : -1;
  if (start === -1) return '/';
  const fragment = href.indexOf('#', start);
  return normalizeOctets(fragment === -1 ? href.slice(start) : href.slice(start, fragment));
}

/** Cleaned, because it goes into rows and logs: Postgres refuses a NUL, and half a surrogate pair is no text. */
function textOf({ isAllow, pattern }: RuleLine): string {
  const text = `${isAllow ? 'Allow' : 'Disallow'}: ${pattern}`.slice(0, MAX_RULE_TEXT_CHARS);
  return text.replace(/\p{Cc}/gu, '\uFFFD').toWellFormed();
}

function collectSitemaps(directives: readonly Directive[], baseUrl: string): string[] {
  const found = new Set<string>();
  for (const { name, value } of directives) {
    if (name !== 'sitemap' || value === '') continue;
    const url = URL.parse(value) ?? URL.parse(value, baseUrl);
    if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) found.add(url.href);
  }
  return [...found];
}
