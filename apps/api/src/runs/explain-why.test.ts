import { newRunId } from '@trawl/contracts';
import type { HostWhy, RunWhy } from '@trawl/crawl-state';
import { describe, expect, it } from 'vitest';
import { explainWhy, type WhyInput } from './explain-why.ts';

const now = new Date('2030-01-01T00:00:00.000Z');
const runId = newRunId();
const idle: RunWhy = {
  status: 'running',
  discovering: false,
  held: false,
  waiting: 0,
  delayed: 0,
  leased: 0,
  unprocessed: 0,
  relinking: 0,
  deferred: 0,
  hosts: [],
};
const host = (over: Partial<HostWhy>): HostWhy => ({
  host: 'example.com',
  renders: false,
  waiting: 12,
  delayed: 0,
  leased: 0,
  session: 'none',
  ...over,
});
const explain = (why: Partial<RunWhy> | null, o: Partial<WhyInput> = {}) =>
  explainWhy({ runId, status: 'running', why: why === null ? null : { ...idle, ...why }, hosts: [], now, ...o });

describe('why a run is not finished', () => {
  it('names a blocked host, until when, and after how many failures', () => {
    const answer = explain(
      { waiting: 12, hosts: [host({ session: 'parked' })] },
      { hosts: [{ host: 'example.com', blockedForMs: 60_000, failures: 3, reason: 'HTTP_503', delayMs: 200, cap: 2 }] },
    );
    expect(answer.hosts).toEqual([
      {
        host: 'example.com',
        renders: false,
        waiting: 12,
        leased: 0,
        session: 'parked',
        blockedUntil: '2030-01-01T00:01:00.000Z',
        failures: 3,
        lastFailure: 'HTTP_503',
        crawlDelaySeconds: 0.2,
        slowedTo: 2,
        reason: 'blocked after 3 failures (HTTP_503)',
      },
    ]);
    expect(answer.explanation).toEqual([
      '12 URLs wait for example.com, which is blocked until 2030-01-01T00:01:00.000Z after 3 failures (HTTP_503).',
    ]);
  });

  it('says of a blocked host without failures that it asked for it', () => {
    const answer = explain(
      { hosts: [host({ waiting: 1 })] },
      { hosts: [{ host: 'example.com', blockedForMs: 1000, failures: 0, reason: null, delayMs: 0, cap: null }] },
    );
    expect(answer.explanation).toEqual([
      '1 URL waits for example.com, which is blocked until 2030-01-01T00:00:01.000Z, as it asked.',
    ]);
  });

  it.each([
    ['parked', 'has all its slots taken'],
    ['waiting', 'waits for a free worker'],
  ] as const)('says what a %s session waits for', (session, phrase) => {
    expect(explain({ hosts: [host({ session })] }).explanation).toEqual([
      `12 URLs wait for example.com, which ${phrase}.`,
    ]);
  });

  it('says nothing of a host that is being fetched', () => {
    const answer = explain({ hosts: [host({ session: 'active', leased: 2 })] });
    expect(answer.hosts[0]).toMatchObject({ session: 'open', reason: null });
    expect(answer.explanation).toEqual([]);
  });

  it('counts what is under way', () => {
    const work = { leased: 1, unprocessed: 2, held: true, delayed: 3, relinking: 1, deferred: 4 };
    expect(explain(work).explanation).toEqual([
      '1 URL is being fetched.',
      '2 pages are fetched and not processed yet.',
      'No more URLs are handed out until fetched pages are processed or a page of the budget comes back.',
      '3 URLs wait for the time of a retry.',
      'The links of 1 page are sent again, since a shorter way there was found.',
      '4 URLs of crowded path templates are put off to the end.',
    ]);
  });

  it.each([
    ['paused', `The run is paused; POST /v1/runs/${runId}/resume continues it.`],
    ['finalizing', 'Every URL is done; the final numbers are being written.'],
    ['completed', 'The run is completed; nothing is left to do.'],
  ] as const)('says what %s means', (status, sentence) => {
    expect(explain({}, { status }).explanation).toEqual([sentence]);
  });

  it('says that a run without state is about to be set up', () => {
    expect(explain(null, { status: 'pending' }).explanation).toEqual([
      'The run is not set up in Redis yet; a coordinator does that within seconds.',
    ]);
  });

  it('names ten hosts, those with most waiting first, and counts the others', () => {
    const hosts = Array.from({ length: 12 }, (_, i) => host({ host: `h${i}`, waiting: i + 1, session: 'parked' }));
    const { explanation } = explain({ hosts });
    expect(explanation).toHaveLength(11);
    expect(explanation[0]).toContain('12 URLs wait for h11');
    expect(explanation[10]).toBe('2 more hosts have URLs waiting.');
  });
});
