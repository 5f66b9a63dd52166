/** Cursors: where a list was left, as an opaque word. A client may send anything back, so reading one can say no. */
import { parseRunId, type RunId } from '@trawl/contracts';

export interface RunPosition {
  readonly createdAt: Date;
  readonly id: RunId;
}

export const runCursor = (at: RunPosition): string => encode(`run ${at.createdAt.getTime()} ${at.id}`);

/** 14 digits of milliseconds reach the year 5138; more would be a time that Postgres does not read. */
export function parseRunCursor(cursor: string): RunPosition | null {
  const [, time, id] = /^run (\d{1,14}) (\S+)$/.exec(decode(cursor)) ?? [];
  const runId = id === undefined ? null : parseRunId(id);
  return runId && time !== undefined ? { createdAt: new Date(Number(time)), id: runId } : null;
}

export const pageCursor = (id: number): string => encode(`page ${id}`);

export function parsePageCursor(cursor: string): number | null {
  return safeId(/^page (\d{1,16})$/.exec(decode(cursor))?.[1]);
}

/** The id of a page in the API: opaque to clients. */
export const pageId = (id: number): string => `page_${id}`;

/** The number behind a public page id, or null if it can't be one. */
export function parsePageId(publicId: string): number | null {
  return safeId(/^page_([1-9]\d{0,15})$/.exec(publicId)?.[1]);
}

function safeId(digits: string | undefined): number | null {
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : null;
}

const encode = (position: string): string => Buffer.from(position).toString('base64url');
const decode = (cursor: string): string => Buffer.from(cursor, 'base64url').toString();
