/**
 * Reads the environment of the command line into settings: where things listen, which servers exist already, how many
 * workers run. Opens nothing. What a role reads for itself (USER_AGENT, QUEUE_TIMEOUT …) is handed on to it, unread.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { secretKeys } from '@trawl/runtime';
import { z } from 'zod';

export const REPOSITORY_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface WorkerCounts {
  readonly discover: number;
  readonly fetch: number;
  readonly render: number;
  readonly process: number;
  readonly coordinator: number;
}

export interface Settings {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Null: an embedded server is started. */
  readonly redisUrl: string | null;
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly blobUrl: string;
  readonly apiKeys: readonly string[];
  readonly logLevel: string;
  readonly workers: WorkerCounts;
}

export type SettingsResult = { kind: 'valid'; settings: Settings } | { kind: 'invalid'; message: string };

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .refine((value) => /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most, {
      error: `must be a whole number from ${least} to ${most}`,
    })
    .transform(Number);

const urlOf = (...schemes: string[]) =>
  z.string().refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    error: `must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  });

const workers = wholeNumber(1, 256);

const environmentSchema = z.object({
  // Where the API listens. Anything but loopback needs API_KEYS.
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  // Servers that exist already; without them private ones are started below DATA_DIR.
  REDIS_URL: urlOf('redis:', 'rediss:').optional(),
  DATABASE_URL: urlOf('postgres:', 'postgresql:').optional(),
  // Files of the embedded servers and, unless BLOB_URL says otherwise, the blobs. Relative to the repository.
  DATA_DIR: z.string().default('.data'),
  BLOB_URL: urlOf('file:').optional(),
  API_KEYS: z.string().default(''),
  // Read by the roles; looked at here, so that a mistake is one line and not one of each role.
  SECRET_KEY: secretKeys,
  ALLOW_PRIVATE_NETWORKS: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('warn'),
  DISCOVER_WORKERS: workers.default(1),
  FETCH_WORKERS: workers.default(1),
  RENDER_WORKERS: workers.default(1),
  // Parsing is the cost of a crawl, so it gets every core.
  PROCESS_WORKERS: workers.optional(),
  COORDINATORS: workers.default(1),
});

/** Values that may hold a password: named in a message, never shown. */
const SECRET = new Set(['REDIS_URL', 'DATABASE_URL', 'BLOB_URL', 'API_KEYS', 'SECRET_KEY']);

export function readSettings(env: Environment, cores: number = availableParallelism()): SettingsResult {
  // Compose files hand on unset variables as empty strings.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0]);
    const value = SECRET.has(name) ? '' : `, not "${given[name]}"`;
    return { kind: 'invalid', message: `${name} ${issue?.message}${value}.` };
  }
  const values = parsed.data;
  const apiKeys = values.API_KEYS.split(',')
    .map((key) => key.trim())
    .filter(Boolean);
  if (!isLoopback(values.HOST) && apiKeys.length === 0) {
    return {
      kind: 'invalid',
      message: `API_KEYS must be set when HOST is not loopback: with HOST=${values.HOST} anyone who reaches this machine could start crawls.`,
    };
  }
  const dataDir = resolve(REPOSITORY_ROOT, values.DATA_DIR);
  return {
    kind: 'valid',
    settings: {
      host: values.HOST,
      port: values.PORT,
      redisUrl: values.REDIS_URL ?? null,
      databaseUrl: values.DATABASE_URL ?? null,
      dataDir,
      blobUrl: values.BLOB_URL ?? pathToFileURL(resolve(dataDir, 'blobs')).href,
      apiKeys,
      logLevel: values.LOG_LEVEL,
      workers: {
        discover: values.DISCOVER_WORKERS,
        fetch: values.FETCH_WORKERS,
        render: values.RENDER_WORKERS,
        process: values.PROCESS_WORKERS ?? cores,
        coordinator: values.COORDINATORS,
      },
    },
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** How a client on this machine reaches what listens on `host`. */
export function urlOfHost(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
