import { describe, expect, it } from 'vitest';
import { REPOSITORY_ROOT, readSettings, urlOfHost } from './env.ts';

const messageFor = (env: Record<string, string>): string => {
  const result = readSettings(env, 4);
  return result.kind === 'invalid' ? result.message : 'valid';
};

describe('settings from the environment', () => {
  it('need nothing: loopback, port 3000, .data in the repository, a process worker for each core', () => {
    expect(readSettings({}, 4)).toEqual({
      kind: 'valid',
      settings: {
        host: '127.0.0.1',
        port: 3000,
        redisUrl: null,
        databaseUrl: null,
        dataDir: `${REPOSITORY_ROOT}.data`,
        blobUrl: `file://${REPOSITORY_ROOT}.data/blobs`,
        apiKeys: [],
        logLevel: 'warn',
        workers: { discover: 1, fetch: 1, render: 1, process: 4, coordinator: 1 },
      },
    });
  });

  it('take an empty variable for one that is not set', () => {
    expect(readSettings({ PORT: '', REDIS_URL: ' ' }, 4)).toMatchObject({
      kind: 'valid',
      settings: { port: 3000, redisUrl: null },
    });
  });

  it.each([
    [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535, not "abc".'],
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, not "70000".'],
    [{ PROCESS_WORKERS: '0' }, 'PROCESS_WORKERS must be a whole number from 1 to 256, not "0".'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud".'],
    [{ ALLOW_PRIVATE_NETWORKS: 'maybe' }, 'ALLOW_PRIVATE_NETWORKS must be true or false, not "maybe".'],
    [{ REDIS_URL: 'http://:secret@x' }, 'REDIS_URL must be a URL that starts with redis:// or rediss://.'],
    [{ SECRET_KEY: 'secret' }, 'SECRET_KEY must be 32 random bytes'],
    [{ HOST: '0.0.0.0' }, 'API_KEYS must be set when HOST is not loopback'],
  ])('refuse %j in one line that names it', (env, message) => {
    expect(messageFor(env)).toContain(message);
    expect(messageFor(env)).not.toMatch(/\n|secret/);
  });

  it('accept a public address with keys', () => {
    expect(messageFor({ HOST: '0.0.0.0', API_KEYS: 'one, two' })).toBe('valid');
  });
});

describe('the address a client uses', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['0.0.0.0', 'http://127.0.0.1:3000'],
    ['::1', 'http://[::1]:3000'],
    ['::', 'http://[::1]:3000'],
  ])('for a server on %s is %s', (host, url) => {
    expect(urlOfHost(host, 3000)).toBe(url);
  });
});
