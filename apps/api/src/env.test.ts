import { readEnv } from '@trawl/runtime';
import { describe, expect, it } from 'vitest';
import { apiEnv, isLoopback } from './env.ts';

const needed = { REDIS_URL: 'redis://127.0.0.1:6379', DATABASE_URL: 'postgres://127.0.0.1/trawl' };
const read = (env: Record<string, string>) => readEnv(apiEnv, { ...needed, ...env });
const KEY = 'k'.repeat(16);

describe('the settings of the API', () => {
  it('default to loopback, port 3000, bodies of 1 MiB and no keys', () => {
    expect(read({})).toMatchObject({ HOST: '127.0.0.1', PORT: 3000, API_KEYS: [], MAX_REQUEST_BYTES: 1_048_576 });
  });

  it('take several keys', () => {
    expect(read({ API_KEYS: `${KEY}1, ${KEY}2` }).API_KEYS).toEqual([`${KEY}1`, `${KEY}2`]);
  });

  it('want keys when others can reach the API', () => {
    expect(() => read({ HOST: '0.0.0.0' })).toThrow('API_KEYS must be set');
    expect(read({ HOST: '0.0.0.0', API_KEYS: KEY }).HOST).toBe('0.0.0.0');
  });

  it.each([
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['API_KEYS', 'short'],
    ['API_KEYS', `${KEY},`],
    ['MAX_REQUEST_BYTES', '1MB'],
    ['ALLOW_PRIVATE_NETWORKS', 'yes'],
    ['REDIS_URL', 'localhost:6379'],
  ])('refuse %s=%s in one line that names it', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(new RegExp(`^Bad environment: ${name}\\b.*$`));
  });

  it('never show a key that is refused', () => {
    expect(() => read({ API_KEYS: 'hunter2' })).toThrow(/^(?!.*hunter2)/);
  });

  it.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['::1', true],
    ['[::1]', true],
    ['0.0.0.0', false],
    ['::', false],
    ['127.0.0.1.example.com', false],
    ['10.0.0.1', false],
  ])('know whether %s is loopback: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});
