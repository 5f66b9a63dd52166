/** Sources as the rest of Trawl sees them. Tables are in `schema.ts`; what a client sees is in `@trawl/contracts`. */
import type { AccessSummary, RunId, RunInput, RunStatus, SourceId } from '@trawl/contracts';

/** What requests of a source carry, as it is kept: readable for whoever has the key, and what of it may be shown. */
export interface KeptAccess {
  readonly sealed: string;
  readonly summary: AccessSummary;
}

/** Times are ISO 8601 UTC, as in the API. */
export interface SourceRow {
  readonly id: SourceId;
  readonly name: string;
  /** As it was given, so to be checked again by whoever starts a run. Null: it came with a run. */
  readonly config: RunInput | null;
  readonly access: KeptAccess | null;
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

export type ListedSource = Omit<SourceRow, 'config' | 'access'> & { readonly lastRun: LastRun | null };

export type DescribedSource = SourceRow & {
  readonly lastRun: LastRun | null;
  /** Pages that are there, and that were. */
  readonly pages: number;
  readonly gone: number;
};

export type NewSource = Pick<SourceRow, 'name' | 'schedule' | 'timezone' | 'overlap'> & {
  /** Where something was made for it before it is there; otherwise it gets one. */
  readonly id?: SourceId;
  readonly config: RunInput;
  readonly access: KeptAccess | null;
};

/** What is absent stays as it is. */
export type SourcePatch = { readonly [K in Exclude<keyof NewSource, 'id'>]?: NewSource[K] | undefined };
