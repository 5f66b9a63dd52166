/**
 * The tables. Migrations in `drizzle/` are generated from this file (`pnpm generate`), and a test fails when the two differ.
 * Holds no queries.
 */
import { isNotNull, isNull } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  real,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { ChunkToSave } from './types.ts';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const sources = pgTable(
  'sources',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** What its runs are started with. Null for a source that came into being with a run; it goes with its last run. */
    config: jsonb('config'),
    /** What its requests carry: sealed, and what of it may be shown. Null: nothing. */
    access: jsonb('access'),
    /** Cron; the coordinators keep the queue's scheduler as these say. Null: started by people only. */
    schedule: text('schedule'),
    timezone: text('timezone').notNull().default('UTC'),
    /** Whether a run may start while another of this source is under way. */
    overlap: boolean('overlap').notNull().default(false),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('sources_newest').on(t.createdAt, t.id),
    index('sources_scheduled').on(t.id).where(isNotNull(t.schedule)),
  ],
);

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
    /** What discovery found of sitemaps, as it goes on. Null: none was looked for. */
    discovery: jsonb('discovery'),
    error: text('error'),
  },
  (t) => [
    // Read backwards for newest first. A descending index would come with NULLS LAST, which ORDER BY … DESC can't use.
    index('runs_newest').on(t.createdAt, t.id),
    index('runs_status_newest').on(t.status, t.createdAt, t.id),
    index('runs_source').on(t.sourceId, t.createdAt, t.id),
    index('runs_unfinished').on(t.createdAt, t.id).where(isNull(t.finishedAt)),
    // Which sources have something new for their search index.
    index('runs_finished').on(t.finishedAt, t.sourceId).where(isNotNull(t.finishedAt)),
    index('runs_source_finished').on(t.sourceId, t.finishedAt),
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
    /** Of the answer's body as it came: the same body need not be read again. */
    bodyHash: text('body_hash'),
    /** What the server named its answer by, for asking whether it has changed. */
    etag: text('etag'),
    lastModified: text('last_modified'),
    /** 64 bits of its text: pages that say nearly the same differ in few of them. Null: too few words to tell. */
    simhash: bigint('simhash', { mode: 'bigint' }),
    /**
     * The content that consumers were last told of, at the end of a run. Null: of none, or that it is gone. What a run finds is compared
     * with this and not with what was last saved, which a run that was cut short may have left.
     */
    toldHash: text('told_hash'),
    /** The blob with the answer as it came, where runs keep it. */
    rawRef: text('raw_ref'),
    /** The blob with a picture of it, where runs keep one. */
    shotRef: text('shot_ref'),
    /** A browser read it: without one it is an empty shell, whatever the server says of it. */
    rendered: boolean('rendered').notNull().default(false),
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
    /** `new`, `changed` or `gone`, and when: as of the end of the run that found it, so that a consumer who has seen all up to a time misses none. */
    change: text('change'),
    changedAt: time('changed_at'),
    /** It is no longer there; what it was is kept. */
    goneAt: time('gone_at'),
  },
  (t) => [
    uniqueIndex('pages_identity').on(t.sourceId, t.keyHash),
    index('pages_gone').on(t.sourceId).where(isNotNull(t.goneAt)),
    index('pages_changes').on(t.sourceId, t.changedAt, t.id).where(isNotNull(t.changedAt)),
  ],
);

/**
 * What sitemaps say of URLs, for all sources: read once, trusted for a while. `host` is the site whose sitemaps were read, with the source
 * in front where that has access of its own. Identity is
 * that of the default normalization, whatever a run's own is.
 */
export const sitemapEntries = pgTable(
  'sitemap_entries',
  {
    host: text('host').notNull(),
    keyHash: uuid('key_hash').notNull(),
    url: text('url').notNull(),
    lastmod: time('lastmod'),
    changefreq: text('changefreq'),
    priority: real('priority'),
    discoveredAt: time('discovered_at').notNull(),
    /** When the sitemaps were last read that name it. Before the site's last complete reading: it is no longer named. */
    seenAt: time('seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.host, t.keyHash] }), index('sitemap_entries_key').on(t.keyHash)],
);

/** The last complete reading of a site's sitemaps: when it began, and what it met. */
export const sitemapSites = pgTable('sitemap_sites', {
  host: text('host').primaryKey(),
  readAt: time('read_at').notNull(),
  sitemaps: jsonb('sitemaps').notNull(),
});

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
    index('run_pages_page').on(t.pageId, t.id),
  ],
);

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });

/**
 * How far the search index of a source is. The index is brought up to date behind the crawl (`search/`): nothing of it is written
 * when pages are saved.
 */
export const searchSources = pgTable('search_sources', {
  sourceId: text('source_id')
    .primaryKey()
    .references(() => sources.id, { onDelete: 'cascade' }),
  /** Whoever brings it up to date, and until when without a sign of life. */
  lease: uuid('lease'),
  leasedUntil: time('leased_until'),
  /** The end of the newest finished run that a whole pass has covered. */
  coversUntil: time('covers_until'),
  /** When the last whole pass began, how long it took, and how many pages it left in the index. */
  checkedAt: time('checked_at'),
  passMs: integer('pass_ms').notNull().default(0),
  pages: integer('pages').notNull().default(0),
  /** Counts up whenever the index changes. */
  version: bigint('version', { mode: 'number' }).notNull().default(0),
});

/** A page in the search index, as it was when it was indexed. */
export const searchPages = pgTable(
  'search_pages',
  {
    pageId: bigint('page_id', { mode: 'number' })
      .primaryKey()
      .references(() => pages.id, { onDelete: 'cascade' }),
    sourceId: text('source_id').notNull(),
    rendition: uuid('rendition').notNull(),
    url: text('url').notNull(),
    path: text('path').notNull(),
    title: text('title'),
    language: text('language'),
    /** The text search configuration its chunks are indexed with. */
    config: text('config').notNull(),
    /** Why its chunks can't be indexed, as Postgres said it. */
    problem: text('problem'),
  },
  (t) => [index('search_pages_source').on(t.sourceId, t.config)],
);

/** A chunk in the search index. The columns have the names of the chunk's own fields. */
export const searchChunks = pgTable(
  'search_chunks',
  {
    pageId: bigint('page_id', { mode: 'number' })
      .notNull()
      .references(() => searchPages.pageId, { onDelete: 'cascade' }),
    chunkId: text('chunk_id').notNull(),
    index: integer('index').notNull(),
    headingPath: json('heading_path').$type<string[]>().notNull(),
    tokens: integer('tokens').notNull(),
    text: text('text').notNull(),
    /** Of all that its embedding is made from. */
    hash: uuid('hash').notNull(),
    /**
     * Title (A), headings (B), text (D), and one word that no text can hold: the source and the configuration. So one index serves
     * however many sources there are, without an extension: a search asks for that word as well.
     */
    document: tsvector('document').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.pageId, t.chunkId] }),
    // New entries are collected (16 MB at most, and at the end of a pass none) before they go in: entry by entry took 2 to 4 times as long.
    index('search_chunks_document').using('gin', t.document).with({ gin_pending_list_limit: 16384 }),
  ],
);
