/**
 * The 16 bytes by which rows are found: half a SHA-256 of the key, in the shape of a UUID. A btree can't hold a key of
 * 8,192 characters. Not md5, which Postgres could do by itself: a site that crafts two URLs with one md5 would make two
 * pages into one.
 */
import { hash } from 'node:crypto';
import type { UrlKey } from '@trawl/contracts';

export function keyHash(key: UrlKey): string {
  return hash('sha256', key, 'hex').slice(0, 32);
}
