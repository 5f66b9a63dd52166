/** The command line of the benchmark, and the sentence for what it can't understand. */
import { parseArgs } from 'node:util';
import { SITE_NAMES, type SiteName } from './sites.ts';

export interface Options {
  readonly sites: readonly SiteName[];
  readonly rounds: number;
  /** Where the figures go as JSON too. */
  readonly jsonFile: string | null;
  /** Where every Node process leaves its CPU profile. */
  readonly profileDir: string | null;
}

export type OptionsResult = { kind: 'valid'; options: Options } | { kind: 'invalid'; message: string };

const MOST_ROUNDS = 50;

export function readOptions(args: readonly string[]): OptionsResult {
  let values: { sites?: string; rounds?: string; json?: string; profile?: string };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        sites: { type: 'string' },
        rounds: { type: 'string' },
        json: { type: 'string' },
        profile: { type: 'string' },
      },
    }));
  } catch (error) {
    return invalid(error instanceof Error ? error.message : String(error));
  }
  const sites = (values.sites ?? SITE_NAMES.join(',')).split(',');
  if (!sites.every(isSiteName)) return invalid(`--sites takes ${SITE_NAMES.join(',')}, or one of them`);
  const rounds = values.rounds ?? '3';
  if (!/^\d{1,2}$/.test(rounds) || Number(rounds) < 1 || Number(rounds) > MOST_ROUNDS) {
    return invalid(`--rounds takes a whole number from 1 to ${MOST_ROUNDS}`);
  }
  return {
    kind: 'valid',
    options: {
      sites: [...new Set(sites)],
      rounds: Number(rounds),
      jsonFile: values.json ?? null,
      profileDir: values.profile ?? null,
    },
  };
}

const isSiteName = (name: string): name is SiteName => (SITE_NAMES as readonly string[]).includes(name);

const invalid = (message: string): OptionsResult => ({ kind: 'invalid', message });
