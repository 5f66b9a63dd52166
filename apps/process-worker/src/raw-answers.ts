/**
 * Answers as they came, for runs that keep them: one blob per page of a source, under a name that its next answer has too, so that
 * nothing is left behind by being replaced. What is no longer kept is deleted before its page forgets it: a death in between is repeated.
 */
import { type BlobStore, packRawAnswer } from '@trawl/blobs';
import type { SourceId } from '@trawl/contracts';
import type { HeldPage } from '@trawl/crawl-state';
import { type Db, forgetAnswers, type ReleasedAnswer } from '@trawl/db';

/** Returns the reference that the page's row is to carry. */
export async function keepRawAnswer(
  { key, info }: Pick<HeldPage, 'key' | 'info'>,
  body: Buffer,
  sourceId: SourceId,
  blobs: Pick<BlobStore, 'put'>,
): Promise<string> {
  // Of an answer whose head nobody kept, what is known of it.
  const head = info.head ?? {
    statusText: '',
    headers: info.contentType === null ? [] : [['content-type', info.contentType] as const],
  };
  const packed = await packRawAnswer({ status: info.httpStatus, ...head, body });
  // A group of its own: those of runs are deleted with them.
  return blobs.put(`${sourceId}/raw/${key}`, packed);
}

export async function releaseRawAnswers(
  released: readonly ReleasedAnswer[],
  sourceId: SourceId,
  deps: { readonly db: Db; readonly blobs: Pick<BlobStore, 'delete'> },
): Promise<void> {
  if (released.length === 0) return;
  const refs = released.flatMap(({ rawRef, shotRef }) => [rawRef, shotRef]).filter((ref) => ref !== null);
  await deps.blobs.delete(refs);
  await forgetAnswers(deps.db, sourceId, released);
}

/** From among the run's blobs, which go with it, to those of the source: under a name that its next picture has too. Null: it is gone. */
export async function keepShot(
  { key, info }: Pick<HeldPage, 'key' | 'info'>,
  sourceId: SourceId,
  blobs: Pick<BlobStore, 'get' | 'put'>,
): Promise<string | null> {
  const shot = info.shotRef === undefined ? null : await blobs.get(info.shotRef);
  return shot === null ? null : blobs.put(`${sourceId}/shots/${key}`, shot);
}
