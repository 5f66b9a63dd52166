/** What a run's workers need to know of it, kept beside its state so that no worker asks Postgres for it. */
import { type RunConfig, type RunId, runConfigSchema, type SourceId } from '@trawl/contracts';
import { runKey } from './keys.ts';
import type { StateContext } from './script.ts';

export interface RunSettings {
  readonly sourceId: SourceId;
  readonly config: RunConfig;
  /** The source has pages of earlier runs, kept as this run wants them. */
  readonly hasPast: boolean;
  /** What its requests carry, sealed. */
  readonly access: string | null;
}

/** The last few, since every session and every process job of a run asks for the same text. */
const parsed = new Map<string, RunSettings>();

export function parseSettings(text: string): RunSettings {
  const known = parsed.get(text);
  if (known) return known;
  const { sourceId, config, hasPast, access } = JSON.parse(text) as Pick<RunSettings, 'sourceId'> & {
    config: unknown;
    hasPast?: boolean;
    access?: string | null;
  };
  const settings: RunSettings = {
    sourceId,
    config: runConfigSchema.parse(config),
    hasPast: hasPast === true,
    access: access ?? null,
  };
  if (parsed.size >= 200) parsed.clear();
  parsed.set(text, settings);
  return settings;
}

/** Null: there is no such run. */
export async function settings(context: StateContext, runId: RunId): Promise<RunSettings | null> {
  const text = await context.redis.get(runKey(context.prefix, runId, 'settings'));
  return text === null ? null : parseSettings(text);
}
