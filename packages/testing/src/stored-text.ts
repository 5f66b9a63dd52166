/** All that servers hold, as text: for tests that look for what must not be in there. */
import { Redis } from 'ioredis';
import postgres from 'postgres';

/** Every key that starts so, with what is in it, on a line of its own. Not by DUMP, which compresses. */
export async function textInRedis(url: string, prefix: string): Promise<string> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys(`${prefix}*`);
    const values = await Promise.all(keys.map((key) => contentOf(redis, key)));
    return keys.map((key, at) => `${key} ${JSON.stringify(values[at])}`).join('\n');
  } finally {
    redis.disconnect();
  }
}

async function contentOf(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case 'none':
      return null;
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, 0, -1);
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      throw new Error(`${key} is a ${type}, which this does not read`);
  }
}

/** Every row of every table. */
export async function textInPostgres(url: string): Promise<string> {
  const sql = postgres(url);
  try {
    const tables = await sql<{ name: string }[]>`
    SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`;
    const rows = await Promise.all(
      tables.map(({ name }) => sql.unsafe(`SELECT to_jsonb(t)::text AS row FROM ${name} t`)),
    );
    return JSON.stringify(rows);
  } finally {
    await sql.end();
  }
}
