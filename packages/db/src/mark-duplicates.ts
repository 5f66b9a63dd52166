/**
 * Which pages of a source say what another says already: by their own word (`rel=canonical`), by equal content, by nearly equal text.
 * Part of finalization. Computed anew for the whole source, since the original may be of an earlier run.
 */
import type { RunId } from '@trawl/contracts';
import { findNearDuplicates } from '@trawl/extract';
import type postgres from 'postgres';
import { keyHash } from './key-hash.ts';
import { storableJson } from './storable.ts';
import type { ComparePages } from './types.ts';

type Tx = postgres.ISql;

export interface ComparedPage {
  readonly id: number;
  /** Of the page itself, and of the page it names as its original; null where it names none. */
  readonly keyHash: string;
  readonly canonicalHash: string | null;
  readonly contentHash: string;
  readonly simhash: bigint | null;
}

const BY_CONTENT: ComparePages = { nearDuplicateBits: 0, keyOf: () => null };

export async function markDuplicates(
  tx: Tx,
  run: { readonly runId: RunId; readonly sourceId: string },
  { nearDuplicateBits, keyOf }: ComparePages = BY_CONTENT,
): Promise<void> {
  const pages: ComparedPage[] = [];
  const rows = tx<
    { id: string; key_hash: string; content_hash: string; simhash: string | null; canonical: string | null }[]
  >`
    SELECT id, key_hash, content_hash, simhash::text, metadata ->> 'canonicalUrl' AS canonical
    FROM pages WHERE source_id = ${run.sourceId} AND gone_at IS NULL`;
  for await (const part of rows.cursor(2000)) {
    for (const row of part) {
      const canonical = row.canonical === null ? null : keyOf(row.canonical);
      pages.push({
        id: Number(row.id),
        keyHash: row.key_hash.replaceAll('-', ''),
        canonicalHash: canonical === null ? null : keyHash(canonical),
        contentHash: row.content_hash,
        simhash: row.simhash === null ? null : BigInt(row.simhash),
      });
    }
  }
  const keyOfId = new Map(pages.map((page) => [page.id, page.keyHash]));
  const duplicates = [...findDuplicates(pages, nearDuplicateBits)];
  for (let from = 0; from < duplicates.length; from += 5000) {
    const found = duplicates
      .slice(from, from + 5000)
      .map(([page, original]) => ({ page, original, original_key: keyOfId.get(original) }));
    await tx`
      UPDATE run_pages AS seen SET duplicate_of = coalesce(
        (SELECT id FROM run_pages AS first
          WHERE first.run_id = ${run.runId} AND first.key_hash = found.original_key AND first.page_id = found.original),
        (SELECT max(id + 0) FROM run_pages AS first WHERE first.page_id = found.original))
      FROM json_to_recordset(${storableJson(found)}::json) AS found(page bigint, original bigint, original_key uuid)
      WHERE seen.page_id = found.page AND seen.run_id = ${run.runId} AND seen.outcome = 'processed'`;
  }
}

/** Page → original. An original is never a duplicate itself, so chains and circles of canonical links come to one page, or none. */
export function findDuplicates(pages: readonly ComparedPage[], nearBits: number): Map<number, number> {
  const originals = new Map<number, number>();
  const byKey = new Map(pages.map((page) => [page.keyHash, page]));
  for (const page of pages) {
    const original = canonicalOf(page, byKey);
    if (original !== null) originals.set(page.id, original.id);
  }
  const inOrder = pages.filter((page) => !originals.has(page.id)).sort((a, b) => a.id - b.id);
  const byContent = new Map<string, number>();
  for (const { id, contentHash } of inOrder) {
    const first = byContent.get(contentHash);
    if (first === undefined) byContent.set(contentHash, id);
    else originals.set(id, first);
  }
  if (nearBits > 0) {
    const rest = inOrder.flatMap(({ id, simhash }) => (simhash === null || originals.has(id) ? [] : [{ id, simhash }]));
    for (const [id, original] of findNearDuplicates(rest, nearBits)) originals.set(id, original);
  }
  const resolved = new Map<number, number>();
  for (const [id, original] of originals) resolved.set(id, lastOf(original, originals));
  return resolved;
}

const MAX_HOPS = 10;

/** Null: it names none that is known, or the names lead in a circle. */
function canonicalOf(page: ComparedPage, byKey: ReadonlyMap<string, ComparedPage>): ComparedPage | null {
  let at = page;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const next: ComparedPage | undefined = at.canonicalHash === null ? undefined : byKey.get(at.canonicalHash);
    if (next === undefined || next === at) return at === page ? null : at;
    if (next === page) return null;
    at = next;
  }
  return null;
}

function lastOf(id: number, originals: ReadonlyMap<number, number>): number {
  let at = id;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const next = originals.get(at);
    if (next === undefined) return at;
    at = next;
  }
  return at;
}
