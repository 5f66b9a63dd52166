import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { problemSchema, TrawlError } from '@trawl/contracts';
import { connectRedis, createLogger } from '@trawl/runtime';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { answerFailure, isDependencyDown } from './failures.ts';

const coded = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });

describe('a thrown error', () => {
  it.each([
    ['a refused connection', coded('ECONNREFUSED')],
    ['one wrapped by the query builder', new Error('Failed query', { cause: coded('57P01') })],
    ['several addresses that all refused', new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')])],
    ['Postgres that is starting', coded('57P03')],
    ['a broken Postgres connection', coded('08006')],
    ['Redis that loads its data', new Error('LOADING Redis is loading the dataset in memory')],
    ['a Redis client that gave up', new Error('Reached the max retries per request limit (which is 1).')],
    ['our own word for it', new TrawlError('DEPENDENCY_UNAVAILABLE', 'x', { retryable: true })],
  ])('means that a dependency is down: %s', (_, error) => {
    expect(isDependencyDown(error)).toBe(true);
  });

  it.each([
    ['a bug', new TypeError("Cannot read properties of undefined (reading 'x')")],
    ['a wrong statement', coded('42601')],
    ['a wrong script', new Error('ERR Error running script')],
    ['no error at all', 'ECONNREFUSED'],
  ])('means that something broke: %s', (_, error) => {
    expect(isDependencyDown(error)).toBe(false);
  });

  it('of a client whose Redis is gone counts as down', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const logger = createLogger({ level: 'silent', role: 'api' });
    const redis = connectRedis(`redis://127.0.0.1:${port}`, { logger, failFast: true });
    const error = await redis.ping().catch((e: unknown) => e);
    redis.disconnect();
    expect(isDependencyDown(error)).toBe(true);
  });

  it('that nobody expected is logged under an id and shows nothing of itself', async () => {
    const logged: object[] = [];
    const app = new Hono();
    app.onError(answerFailure({ info: () => {}, warn: () => {}, error: (context) => logged.push(context) }));
    app.get('/', () => {
      throw new Error('password=hunter2');
    });
    const answer = await app.request('/');
    const body = problemSchema.parse(await answer.json());
    expect(answer.status).toBe(500);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(logged).toMatchObject([{ failureId: body.instance?.replace('urn:uuid:', '') }]);
  });
});
