/** The environment as a checked value. A bad value stops the start with one line that names it. */
import { readFileSync } from 'node:fs';
import { TrawlError } from '@trawl/contracts';
import { z } from 'zod';

/** May hold a password: named, never shown. */
const SECRET = /^(SECRET_KEY|REDIS_URL|DATABASE_URL|BLOB_URL|API_KEYS|EMBEDDINGS_URL|EMBEDDINGS_API_KEY)$/;

/** Reads what `schema` names. Empty strings count as absent, as a container's `KEY=` does. */
export function readEnv<T extends z.ZodType>(schema: T, source: NodeJS.ProcessEnv = process.env): z.output<T> {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const name = issue.path.join('.');
    if (given[name] === undefined) return `${name} is required`;
    return SECRET.test(name) ? `${name} ${issue.message}` : `${name}=${String(given[name])} ${issue.message}`;
  });
  throw new TrawlError('CONFIG_INVALID', `Bad environment: ${problems.join('; ')}`, { retryable: false });
}

export const DEFAULT_USER_AGENT = 'Trawl/0.1';

const url = (schemes: readonly string[]) =>
  z.string().refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    error: `must be a URL that starts with ${schemes.join(' or ')}//`,
  });

/** A flag is `true` or `false`; anything else is a mistake worth a word. */
export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');

/** A whole number within bounds. */
export const count = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: `must be between ${min} and ${max}` });

/** The name of a file, read on the spot: one that is not there stops the start. */
const textFile = z.string().transform((path, ctx) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    ctx.addIssue({ code: 'custom', message: `can't be read: ${error instanceof Error ? error.message : error}` });
    return z.NEVER;
  }
});

/** Settings that several roles share. Each role picks what it needs. */
export const sharedEnv = z.object({
  REDIS_URL: url(['redis:', 'rediss:']),
  DATABASE_URL: url(['postgres:', 'postgresql:']),
  /** In front of every Redis key and queue: two installations may share a Redis. */
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,40}$/, 'must be at most 40 letters, digits, dots and dashes')
    .transform((value) => `${value}:`)
    .default(''),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be one of trace, debug, info, warn, error, fatal, silent',
    })
    .default('info'),
  /** Where bodies too large for Redis are kept; every fetch and process worker needs to reach the same place. */
  BLOB_URL: url(['file:']).default(() => new URL('../../../.data/blobs', import.meta.url).href),
  USER_AGENT: z.string().min(1).max(500).default(DEFAULT_USER_AGENT),
  ALLOW_PRIVATE_NETWORKS: flag.default(false),
  /** A file that is touched while the role is well: what a container's health check looks at. */
  HEALTH_FILE: z.string().optional(),
});

/** 32 bytes, as hexadecimal digits or in base64. */
function keyOf(text: string): Buffer | null {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  const key = Buffer.from(text, isHex ? 'hex' : 'base64');
  return isHex || (/^[\w+/-]{43}=?$/.test(text) && key.length === 32) ? key : null;
}

/** What seals and opens the access of sources. Several: the first one seals, all of them open. */
export const secretKeys = z
  .string()
  .transform((value, ctx) => {
    const keys = value.split(',').map((text) => keyOf(text.trim()));
    if (keys.every((key) => key !== null)) return keys;
    ctx.addIssue({
      code: 'custom',
      message:
        'must be 32 random bytes in base64 or hexadecimal (openssl rand -base64 32), or several of these with commas between',
    });
    return z.NEVER;
  })
  .default([]);

/** Settings of every role that asks hosts for something. */
export const requestEnv = sharedEnv
  .pick({
    REDIS_URL: true,
    REDIS_PREFIX: true,
    DATABASE_URL: true,
    LOG_LEVEL: true,
    ALLOW_PRIVATE_NETWORKS: true,
    HEALTH_FILE: true,
  })
  .extend({
    /** A PEM file of certificate authorities to trust besides the usual ones. */
    EXTRA_CA_FILE: textFile.optional(),
    /** How long a robots.txt is taken as known, by all workers together. RFC 9309 allows a day at most. */
    ROBOTS_MAX_AGE_SECONDS: count(1, 86_400).default(3600),
    SECRET_KEY: secretKeys,
  });
