/** Where a list of hits was left, and of which search. With another search it is refused. */
import { hash } from 'node:crypto';
import type { SearchMode, SourceId } from '@trawl/contracts';
import type { HitPosition, SearchFilters } from './search-types.ts';

export interface SearchIdentity extends SearchFilters {
  readonly sourceId: SourceId;
  readonly q: string;
  readonly perPage: number;
}

export function searchCursor(search: SearchIdentity, mode: SearchMode, at: HitPosition): string {
  return Buffer.from(`search ${nameOf(search)} ${mode} ${at.score} ${at.pageId} ${at.index}`).toString('base64url');
}

const CURSOR = /^search ([0-9a-f]{16}) (text|semantic|hybrid) (-?\d(?:\.\d+)?(?:e-\d+)?) (\d{1,15}) (\d{1,9})$/;

export function parseSearchCursor(
  cursor: string,
  search: SearchIdentity,
): { readonly mode: SearchMode; readonly after: HitPosition } | null {
  const [, name, mode, score, pageId, index] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (name !== nameOf(search)) return null;
  return {
    // One of the words of the pattern.
    mode: mode as SearchMode,
    after: { score: Number(score), pageId: Number(pageId), index: Number(index) },
  };
}

const nameOf = ({ sourceId, q, perPage, language, path }: SearchIdentity): string =>
  hash('sha256', JSON.stringify([sourceId, q, perPage, language ?? null, path ?? null]), 'hex').slice(0, 16);
