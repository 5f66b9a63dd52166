/**
 * The tables. Migrations in `drizzle/` are generated from this file (`pnpm generate`), and a test fails when the two differ.
 * Holds no queries.
 */
import { isNull } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { ChunkToSave } from './types.ts';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const sources = pgTable('sources', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  /** Null for a source that came into being with a run; it goes with its last run. */
  config: jsonb('config'),
  createdAt: time('created_at').notNull().defaultNow(),
});

export const runs = pgTable(
  'runs',
  {
    id: text('id').primaryKey(),
    sourceId: text('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    status: text('status').notNull(),
    sealed: boolean('sealed').notNull().default(false),
    config: jsonb('config').notNull(),
    idempotencyKey: text('idempotency_key').unique(),
    requestHash: text('request_hash'),
    createdAt: time('created_at').notNull().defaultNow(),
    startedAt: time('started_at'),
    finishedAt: time('finished_at'),
    stats: jsonb('stats'),
    warnings: jsonb('warnings').notNull().default([]),
    error: text('error'),
  },
  (t) => [
    // Read backwards for newest first. A descending index would come with NULLS LAST, which ORDER BY … DESC can't use.
    index('runs_newest').on(t.createdAt, t.id),
    index('runs_status_newest').on(t.status, t.createdAt, t.id),
    index('runs_source').on(t.sourceId),
    index('runs_unfinished').on(t.createdAt, t.id).where(isNull(t.finishedAt)),
  ],
);

/**
 * One row per source and page, kept across runs. A key may have 8,192 characters and a btree entry at most 2,704 bytes,
 * so identity is indexed by `key_hash` (see `key-hash.ts`).
 */
export const pages = pgTable(
  'pages',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    sourceId: text('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    keyHash: uuid('key_hash').notNull(),
    url: text('url').notNull(),
    finalUrl: text('final_url').notNull(),
    title: text('title'),
    language: text('language'),
    contentType: text('content_type'),
    httpStatus: integer('http_status').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    contentHash: text('content_hash').notNull(),
    /** What the last save found here: an upsert can't return the row it replaced otherwise (before Postgres 18). Null: nothing. */
    previousHash: text('previous_hash'),
    /** Names markdown, text and chunks as they are stored: the same content may be cut in another way. */
    rendition: uuid('rendition').notNull(),
    markdown: text('markdown'),
    text: text('text').notNull(),
    // json, not jsonb: written with every page, read as a whole and seldom.
    links: json('links').notNull(),
    metadata: json('metadata').notNull(),
    /**
     * In the page's own row: as rows of a table of their own they took half of what a save costs Postgres (0.83 against
     * 0.44 ms per page). The view `chunks` shows them as rows.
     */
    chunks: json('chunks').$type<ChunkToSave[]>().notNull(),
    firstSeenAt: time('first_seen_at').notNull(),
    crawledAt: time('crawled_at').notNull(),
    lastRunId: text('last_run_id').notNull(),
  },
  (t) => [uniqueIndex('pages_identity').on(t.sourceId, t.keyHash)],
);

/** What a run saw: one row per URL that ended, whatever way. Its id is the public id of a page. */
export const runPages = pgTable(
  'run_pages',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    runId: text('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    /** Null for a URL without content. */
    pageId: bigint('page_id', { mode: 'number' }).references(() => pages.id, { onDelete: 'set null' }),
    key: text('key').notNull(),
    keyHash: uuid('key_hash').notNull(),
    url: text('url').notNull(),
    finalUrl: text('final_url'),
    depth: integer('depth').notNull(),
    parentUrl: text('parent_url'),
    outcome: text('outcome').notNull(),
    httpStatus: integer('http_status'),
    contentType: text('content_type'),
    title: text('title'),
    language: text('language'),
    bytes: bigint('bytes', { mode: 'number' }),
    elapsedMs: integer('elapsed_ms'),
    rendered: boolean('rendered').notNull().default(false),
    change: text('change'),
    contentHash: text('content_hash'),
    duplicateOf: bigint('duplicate_of', { mode: 'number' }),
    crawledAt: time('crawled_at').notNull(),
    error: jsonb('error'),
  },
  (t) => [
    uniqueIndex('run_pages_identity').on(t.runId, t.keyHash),
    index('run_pages_order').on(t.runId, t.id),
    index('run_pages_outcome').on(t.runId, t.outcome, t.id),
    // Deleting a page or a run asks which rows refer to it.
    index('run_pages_page').on(t.pageId),
  ],
);
