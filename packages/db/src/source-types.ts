/** Sources as the rest of Trawl sees them. Tables are in `schema.ts`; what a client sees is in `@trawl/contracts`. */
import type { RunId, RunInput, RunStatus, SourceId } from '@trawl/contracts';

/** Times are ISO 8601 UTC, as in the API. */
export interface SourceRow {
  readonly id: SourceId;
  readonly name: string;
  /** As it was given, so to be checked again by whoever starts a run. Null: it came with a run. */
  readonly config: RunInput | null;
  readonly schedule: string | null;
  readonly timezone: string;
  readonly overlap: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface LastRun {
  readonly id: RunId;
  readonly status: RunStatus;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

export type ListedSource = Omit<SourceRow, 'config'> & { readonly lastRun: LastRun | null };

export type DescribedSource = SourceRow & {
  readonly lastRun: LastRun | null;
  /** Pages that are there, and that were. */
  readonly pages: number;
  readonly gone: number;
};

export type NewSource = Pick<SourceRow, 'name' | 'schedule' | 'timezone' | 'overlap'> & { readonly config: RunInput };

/** What is absent stays as it is. */
export type SourcePatch = { readonly [K in keyof NewSource]?: NewSource[K] | undefined };
