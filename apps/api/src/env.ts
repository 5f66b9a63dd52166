/** The API's settings. A bad one stops the start with one line that names it. */
import { checkEmbeddingsEnv, embeddingsEnv } from '@trawl/embeddings';
import { count, secretKeys, sharedEnv } from '@trawl/runtime';
import { z } from 'zod';

/** A key of a few characters can be guessed. */
const SHORTEST_KEY = 16;

const apiKeys = z
  .string()
  .transform((value) => value.split(',').map((key) => key.trim()))
  .refine((keys) => keys.every((key) => key.length >= SHORTEST_KEY && /^[\x21-\x7e]+$/.test(key)), {
    error: `must be keys of at least ${SHORTEST_KEY} printable ASCII characters, separated by commas`,
  })
  .default([]);

export const apiEnv = z
  .object({
    ...sharedEnv.shape,
    /** Where to listen. Anything but loopback needs API_KEYS: whoever reaches the API makes this machine send requests. */
    HOST: z.string().default('127.0.0.1'),
    PORT: count(0, 65_535).default(3000),
    API_KEYS: apiKeys,
    SECRET_KEY: secretKeys,
    /** Largest request body. 1 MiB holds the 10,000 start URLs of one run at some 100 characters each. */
    MAX_REQUEST_BYTES: count(1024, 100_000_000).default(1024 * 1024),
    /** Crawls of single pages at work at a time, over all API processes. What is below 1 acts as 1. */
    MAX_CONCURRENT_CRAWLS: z
      .string()
      .regex(/^-?\d{1,6}$/, 'must be a whole number')
      .transform((value) => Math.max(1, Number(value)))
      .default(3),
    /** Seconds that one waits for its slot. */
    QUEUE_TIMEOUT: count(1, 3600).default(60),
    /** Of search queries. */
    ...embeddingsEnv,
  })
  .superRefine(checkEmbeddingsEnv)
  .superRefine((env, ctx) => {
    if (env.API_KEYS.length === 0 && !isLoopback(env.HOST)) {
      ctx.addIssue({
        code: 'custom',
        path: ['HOST'],
        message: 'is reachable from other machines, so API_KEYS must be set',
      });
    }
  });

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}
