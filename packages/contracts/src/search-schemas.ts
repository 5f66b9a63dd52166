/** What the API answers to a search in a source. */
import { z } from 'zod';
import { listOf, timestamp } from './api-schemas.ts';

const count = z.int().min(0);

export const SEARCH_MODES = ['text', 'semantic', 'hybrid'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

const highlightSchema = z
  .object({
    text: z.string().meta({ description: 'A part of the chunk as plain text: no markup, and nothing escaped' }),
    matches: z
      .array(z.tuple([count, count]))
      .meta({ description: 'Where matches begin and end in the text, in UTF-16 code units' }),
  })
  .meta({ id: 'SearchHighlight' });

const searchItemSchema = z
  .object({
    pageId: z.string().meta({ description: 'For GET /v1/pages/:id' }),
    url: z.string(),
    title: z.string().nullable(),
    language: z.string().nullable(),
    chunkId: z.string(),
    index: count.meta({ description: "The chunk's place in its page" }),
    headingPath: z.array(z.string()),
    tokens: count,
    text: z.string().meta({ description: 'The chunk, as markdown' }),
    score: z.number().meta({ description: 'Comparable within one search only' }),
    highlights: z.array(highlightSchema),
  })
  .meta({ id: 'SearchItem' });

const searchIndexSchema = z
  .object({
    complete: z
      .boolean()
      .meta({ description: 'Everything that runs have brought is in the index, and no run is under way' }),
    pages: count.meta({ description: 'Pages that are there; when complete, those that belong into the index' }),
    indexed: count.meta({ description: 'Pages that are in the index' }),
    checkedAt: timestamp.nullable().meta({ description: 'When the index was last brought up to date' }),
    embeddings: z
      .object({
        model: z.string(),
        complete: z.boolean(),
        embedded: count.meta({ description: 'Chunks' }),
        skipped: count.meta({ description: 'Chunks that the model refused' }),
      })
      .nullable()
      .meta({ description: 'Null: not searched by' }),
  })
  .meta({ id: 'SearchIndex' });

export const searchSchema = listOf(searchItemSchema)
  .extend({
    mode: z.enum(SEARCH_MODES).meta({ description: 'How it was searched' }),
    index: searchIndexSchema,
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Search' });
export type Search = z.output<typeof searchSchema>;
