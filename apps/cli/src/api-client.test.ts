import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PageSummary } from '@trawl/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from './api-client.ts';

let server: Server;
let api: ApiClient;
let answer: (request: IncomingMessage) => { status: number; body?: unknown };

beforeEach(async () => {
  server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { status, body } = answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  api = createApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'the-key');
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const problem = {
  type: 'about:blank',
  title: 'Bad Request',
  status: 400,
  detail: 'The input is wrong.',
  code: 'BAD_REQUEST',
};
async function listPages(): Promise<PageSummary[]> {
  const pages: PageSummary[] = [];
  for await (const page of api.pages('run_1')) pages.push(page);
  return pages;
}

const noPages = { items: [], nextCursor: null };

describe('the API client', () => {
  it('says in one line which field was refused', async () => {
    answer = () => ({ status: 400, body: { ...problem, errors: [{ path: 'url', message: 'is private' }] } });
    expect(await api.startRun({ url: 'http://a.test/' })).toEqual({ kind: 'refused', message: 'url: is private' });
  });

  it('says what the problem is when no field is named', async () => {
    answer = () => ({ status: 400, body: problem });
    expect(await api.startRun({ url: 'http://a.test/' })).toEqual({ kind: 'refused', message: 'The input is wrong.' });
  });

  it('shows its key with each request', async () => {
    const shown: unknown[] = [];
    answer = (request) => {
      shown.push(request.headers.authorization);
      return { status: 200, body: noPages };
    };
    await listPages();
    expect(shown).toEqual(['Bearer the-key']);
  });

  it('reads again while the API is away for a moment', async () => {
    let requests = 0;
    answer = () => (++requests < 3 ? { status: 503 } : { status: 200, body: noPages });
    expect(await listPages()).toEqual([]);
    expect(requests).toBe(3);
  });

  it('does not ask again for what is not there', async () => {
    let requests = 0;
    answer = () => {
      requests++;
      return { status: 404, body: { ...problem, status: 404, detail: 'There is no such run.' } };
    };
    await expect(api.progress('run_1')).rejects.toThrow('There is no such run.');
    expect(requests).toBe(1);
  });

  it('follows the cursor to the last page of a list', async () => {
    const asked: string[] = [];
    answer = ({ url = '' }) => {
      asked.push(url);
      return { status: 200, body: { items: [], nextCursor: asked.length < 3 ? `after ${asked.length}` : null } };
    };
    await listPages();
    expect(asked.map((url) => new URL(url, 'http://x').searchParams.get('cursor'))).toEqual([
      null,
      'after 1',
      'after 2',
    ]);
  });

  it('takes a run that has ended already for cancelled', async () => {
    answer = () => ({ status: 409, body: { ...problem, status: 409 } });
    await expect(api.cancel('run_1')).resolves.toBeUndefined();
  });

  it('finds an API that does not listen not ready', async () => {
    server.close();
    server.closeAllConnections();
    expect(await api.isReady()).toBe(false);
  });
});
