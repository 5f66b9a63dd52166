/**
 * Which of many Allow and Disallow patterns decides about a path (RFC 9309 2.2.2 and 2.2.3). Knows nothing of files, groups
 * and agents. Patterns come from strangers, so none becomes a RegExp: the parts between the stars are searched one after the
 * other, each from where the last ended. The leftmost find is always good enough, so nothing is ever tried twice.
 */
import { normalizeOctets } from './octets.ts';

export interface RuleLine {
  readonly isAllow: boolean;
  /** The pattern as it stands in the file. */
  readonly pattern: string;
  readonly line: number;
}

interface RuleIndex {
  /** The rule that decides about a path (with query, normalized by `normalizeOctets`); null if none matches. */
  find(path: string): RuleLine | null;
}

interface CompiledRule {
  readonly source: RuleLine;
  readonly normalized: string;
  /** What the pattern begins with, up to its first star. */
  readonly head: string;
  /** Further parts, in the order they must be found; without the last one if that is the `tail`. */
  readonly parts: readonly string[];
  /** What the path must end with; null if the pattern isn't anchored by `$`. */
  readonly tail: string | null;
  /** True for `/a$`: no star, so the head is all there may be. */
  readonly isExact: boolean;
  /** Octets that a path must have at least. */
  readonly leastPath: number;
}

export function buildRuleIndex(rules: readonly RuleLine[]): RuleIndex {
  const sorted = rules.map(compileRule).filter((rule) => rule !== null);
  sorted.sort(byStrength);
  // Of rules with the same pattern only the strongest can ever decide; a file may repeat one 30,000 times.
  const strongest = new Map<string, CompiledRule>();
  for (const rule of sorted) if (!strongest.has(rule.normalized)) strongest.set(rule.normalized, rule);
  const compiled = [...strongest.values()];

  // By head: a file of 20,000 plain prefixes costs one look-up per distinct length of head, not 20,000 comparisons.
  const byHead = new Map<string, CompiledRule[]>();
  for (const rule of compiled) {
    const sameHead = byHead.get(rule.head);
    if (sameHead === undefined) byHead.set(rule.head, [rule]);
    else sameHead.push(rule);
  }
  const headLengths = [...new Set(compiled.map((rule) => rule.head.length))].sort((a, b) => b - a);

  return {
    find(path) {
      let best: CompiledRule | null = null;
      for (const length of headLengths) {
        if (length > path.length) continue;
        for (const rule of byHead.get(path.slice(0, length)) ?? []) {
          if (best !== null && byStrength(best, rule) < 0) break;
          if (!matchesBehindHead(rule, path)) continue;
          best = rule;
          break;
        }
      }
      return best?.source ?? null;
    },
  };
}

/** Null for a pattern that can match no path: an empty one, and one that begins with neither `/` nor `*`. */
function compileRule(source: RuleLine): CompiledRule | null {
  const { pattern } = source;
  if (!pattern.startsWith('/') && !pattern.startsWith('*')) return null;
  const isAnchored = pattern.endsWith('$');
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split('*').map(normalizeOctets);
  const normalized = pieces.join('*') + (isAnchored ? '$' : '');
  const [head = '', ...rest] = pieces;
  const tail = isAnchored ? (rest.pop() ?? null) : null;
  return {
    source,
    normalized,
    head,
    parts: rest.filter((piece) => piece !== ''),
    tail,
    isExact: isAnchored && tail === null,
    leastPath: pieces.reduce((sum, piece) => sum + piece.length, 0),
  };
}

/** Negative if `a` goes first: more octets (stars and `$` included), then Allow before Disallow, then the earlier line. */
function byStrength(a: CompiledRule, b: CompiledRule): number {
  return (
    b.normalized.length - a.normalized.length ||
    Number(b.source.isAllow) - Number(a.source.isAllow) ||
    a.source.line - b.source.line
  );
}

function matchesBehindHead(rule: CompiledRule, path: string): boolean {
  if (rule.isExact) return path.length === rule.head.length;
  if (rule.leastPath > path.length) return false;
  if (rule.tail !== null && !path.endsWith(rule.tail)) return false;
  let at = rule.head.length;
  for (const part of rule.parts) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return rule.tail === null || at <= path.length - rule.tail.length;
}
