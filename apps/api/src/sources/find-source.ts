/** Finds the source an address names. */
import { parseSourceId } from '@trawl/contracts';
import { getSource, type SourceRow } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';

/** Null for an id no source has, including one no source could have. */
export async function findSource(deps: Pick<ApiDeps, 'db'>, id: string): Promise<SourceRow | null> {
  const sourceId = parseSourceId(id);
  return sourceId === null ? null : getSource(deps.db, sourceId);
}

export const noSuchSource = (id: string): string => `There is no source ${JSON.stringify(id.slice(0, 100))}.`;
