import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { count, readEnv, sharedEnv } from './env.ts';

const good = { REDIS_URL: 'redis://127.0.0.1:6379', DATABASE_URL: 'postgres://127.0.0.1/trawl' };

describe('the environment', () => {
  it('fills in what is not given', () => {
    expect(readEnv(sharedEnv, good)).toMatchObject({
      LOG_LEVEL: 'info',
      REDIS_PREFIX: '',
      ALLOW_PRIVATE_NETWORKS: false,
    });
  });

  it('takes an empty value as absent', () => {
    expect(readEnv(sharedEnv, { ...good, LOG_LEVEL: '' }).LOG_LEVEL).toBe('info');
  });

  it.each([
    [{ DATABASE_URL: good.DATABASE_URL }, 'REDIS_URL is required'],
    [{ ...good, REDIS_URL: 'localhost' }, 'REDIS_URL must be a URL that starts with redis:'],
    [{ ...good, LOG_LEVEL: 'loud' }, 'LOG_LEVEL=loud must be one of'],
    [{ ...good, ALLOW_PRIVATE_NETWORKS: 'yes' }, 'ALLOW_PRIVATE_NETWORKS=yes must be true or false'],
    [{ ...good, REDIS_PREFIX: 'a b' }, 'REDIS_PREFIX=a b must be'],
    [{ ...good, BLOB_URL: 'ftp://x/y' }, 'BLOB_URL must be a URL'],
  ])('stops at %j in one line that names the value', (env, line) => {
    expect(() => readEnv(sharedEnv, env)).toThrow(line);
  });

  it('does not show what may be a password', () => {
    expect(() => readEnv(sharedEnv, { ...good, DATABASE_URL: 'mysql://me:secret@db/x' })).toThrow(
      /^(?!.*secret).*DATABASE_URL/,
    );
  });

  it('bounds counts', () => {
    const schema = z.object({ N: count(1, 10) });
    expect(readEnv(schema, { N: '10' })).toEqual({ N: 10 });
    for (const bad of ['0', '11', '-1', '1.5', 'x']) expect(() => readEnv(schema, { N: bad })).toThrow(`N=${bad}`);
  });
});
