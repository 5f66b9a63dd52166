/** Cursors: where a list was left, as an opaque word. A client may send anything back, so reading one can say no. */
import { parseRunId, parseSourceId, type RunId, type SourceId } from '@trawl/contracts';

export interface RunPosition {
  readonly createdAt: Date;
  readonly id: RunId;
}

export const runCursor = (at: RunPosition): string => encode(`run ${at.createdAt.getTime()} ${at.id}`);

export function parseRunCursor(cursor: string): RunPosition | null {
  const { at, id } = timed('run', cursor);
  const runId = id === undefined ? null : parseRunId(id);
  return at && runId ? { createdAt: at, id: runId } : null;
}

export interface SourcePosition {
  readonly createdAt: Date;
  readonly id: SourceId;
}

export const sourceCursor = (at: SourcePosition): string => encode(`source ${at.createdAt.getTime()} ${at.id}`);

export function parseSourceCursor(cursor: string): SourcePosition | null {
  const { at, id } = timed('source', cursor);
  const sourceId = id === undefined ? null : parseSourceId(id);
  return at && sourceId ? { createdAt: at, id: sourceId } : null;
}

export interface ChangePosition {
  readonly changedAt: Date;
  /** Of the source's page, not the public one. */
  readonly id: number;
}

export const changeCursor = (at: ChangePosition): string => encode(`change ${at.changedAt.getTime()} ${at.id}`);

export function parseChangeCursor(cursor: string): ChangePosition | null {
  const { at, id } = timed('change', cursor);
  const number = safeId(id);
  return at && number !== null ? { changedAt: at, id: number } : null;
}

export const pageCursor = (id: number): string => encode(`page ${id}`);

export function parsePageCursor(cursor: string): number | null {
  return safeId(/^page (\d{1,16})$/.exec(decode(cursor))?.[1]);
}

/** Of a source's pages, which are listed by the hash of their identity. */
export const sourcePageCursor = (keyHash: string): string => encode(`source-page ${keyHash}`);

export function parseSourcePageCursor(cursor: string): string | null {
  return /^source-page ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(decode(cursor))?.[1] ?? null;
}

/** The id of a page in the API: opaque to clients. */
export const pageId = (id: number): string => `page_${id}`;

/** The number behind a public page id, or null if it can't be one. */
export function parsePageId(publicId: string): number | null {
  return safeId(/^page_([1-9]\d{0,15})$/.exec(publicId)?.[1]);
}

function safeId(digits: string | undefined): number | null {
  const id = /^\d{1,16}$/.test(digits ?? '') ? Number(digits) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

/** A cursor of a list in the order of time. 14 digits of milliseconds reach the year 5138; Postgres would not read more. */
function timed(list: string, cursor: string): { at?: Date; id?: string } {
  const [, name, time, id] = /^(\w+) (\d{1,14}) (\S+)$/.exec(decode(cursor)) ?? [];
  return name === list && time !== undefined && id !== undefined ? { at: new Date(Number(time)), id } : {};
}

const encode = (position: string): string => Buffer.from(position).toString('base64url');
const decode = (cursor: string): string => Buffer.from(cursor, 'base64url').toString();
