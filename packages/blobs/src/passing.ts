/**
 * Blobs that belong to nothing which could take them along when it goes: they are kept for a while, and go by themselves. Those of
 * an hour are one group, named after it, so that nobody has to remember them.
 */
import { randomUUID } from 'node:crypto';
import type { BlobStore } from './blob-store.ts';

const GROUP = 'passing-';
const HOUR_MS = 3_600_000;

const groupOf = (at: number): string => `${GROUP}${new Date(at).toISOString().slice(0, 13)}`;

/** When the group's hour was over; NaN for what is no such group. */
const endOf = (group: string): number => Date.parse(`${group.slice(GROUP.length)}:00:00Z`) + HOUR_MS;

/** Returns the id to get it by, which is fit for a URL. */
export async function keepForAWhile(
  blobs: Pick<BlobStore, 'put'>,
  bytes: Uint8Array,
  now = Date.now(),
): Promise<string> {
  const ref = await blobs.put(`${groupOf(now)}/${randomUUID()}`, bytes);
  return Buffer.from(ref).toString('base64url');
}

/** Null for what is gone, or never was. Other blobs can't be had by this. */
export async function getPassing(blobs: Pick<BlobStore, 'get'>, id: string): Promise<Buffer | null> {
  const ref = Buffer.from(id, 'base64url').toString();
  return ref.startsWith(GROUP) ? blobs.get(ref) : null;
}

/** Deletes what is older than `keepMs`, at most an hour late. May be repeated, by any number of processes. */
export async function deletePassed(
  blobs: Pick<BlobStore, 'groups' | 'deletePrefix'>,
  keepMs: number,
  now = Date.now(),
): Promise<void> {
  for (const group of await blobs.groups(GROUP)) if (endOf(group) + keepMs <= now) await blobs.deletePrefix(group);
}
