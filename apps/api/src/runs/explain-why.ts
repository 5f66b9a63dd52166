/** Says why a run is not finished: the numbers of its state and its hosts, and the same as sentences. Pure. */
import { isFinal, type RunId, type RunStatus, type RunWhyAnswer } from '@trawl/contracts';
import type { HostWhy, RunWhy } from '@trawl/crawl-state';
import type { HostDescription } from '@trawl/politeness';

type HostAnswer = RunWhyAnswer['hosts'][number];

/** Sentences name the hosts with the most waiting URLs; the list beside them has the others. */
const NAMED_HOSTS = 10;

export interface WhyInput {
  readonly runId: RunId;
  readonly status: RunStatus;
  /** Null: Redis knows nothing of the run. */
  readonly why: RunWhy | null;
  readonly hosts: readonly Pick<HostDescription, 'host' | 'blockedForMs' | 'failures' | 'reason' | 'delayMs' | 'cap'>[];
  readonly now: Date;
}

export function explainWhy({ runId, status, why, hosts, now }: WhyInput): RunWhyAnswer {
  const known = new Map(hosts.map((host) => [host.host, host]));
  const rows = (why?.hosts ?? []).map((host) => ({ host, answer: hostAnswer(host, known.get(host.host), now) }));
  return {
    runId,
    status,
    waiting: why?.waiting ?? 0,
    delayed: why?.delayed ?? 0,
    leased: why?.leased ?? 0,
    unprocessed: why?.unprocessed ?? 0,
    relinking: why?.relinking ?? 0,
    discovering: why?.discovering ?? false,
    held: why?.held ?? false,
    deferred: why?.deferred ?? 0,
    hosts: rows.map(({ answer }) => answer),
    explanation: [...statusSentences(runId, status, why), ...workSentences(why), ...hostSentences(rows)],
  };
}

function hostAnswer(host: HostWhy, gate: WhyInput['hosts'][number] | undefined, now: Date): HostAnswer {
  const blockedForMs = gate?.blockedForMs ?? 0;
  const failures = gate?.failures ?? 0;
  const lastFailure = (failures > 0 || blockedForMs > 0 ? gate?.reason : null) ?? null;
  return {
    host: host.host,
    renders: host.renders,
    waiting: host.waiting,
    leased: host.leased,
    session: host.session === 'waiting' || host.session === 'active' ? 'open' : host.session,
    blockedUntil: blockedForMs > 0 ? new Date(now.getTime() + blockedForMs).toISOString() : null,
    failures,
    lastFailure,
    crawlDelaySeconds: (gate?.delayMs ?? 0) / 1000,
    slowedTo: gate?.cap ?? null,
    reason: reasonOf(host, blockedForMs, failures, lastFailure),
  };
}

function reasonOf(host: HostWhy, blockedForMs: number, failures: number, last: string | null): string | null {
  const code = last === null ? '' : ` (${last})`;
  if (blockedForMs > 0)
    return failures > 0 ? `blocked after ${counted(failures, 'failure')}${code}` : `asked to be left alone${code}`;
  if (host.session === 'parked') return 'all its slots are taken';
  if (host.session === 'waiting') return `waits for a free worker${withBrowser(host)}`;
  if (host.delayed > 0 && host.waiting === 0) return 'waits for the time of a retry';
  return null;
}

function statusSentences(runId: RunId, status: RunStatus, why: RunWhy | null): string[] {
  if (isFinal(status)) return [`The run is ${status}; nothing is left to do.`];
  if (why === null) return ['The run is not set up in Redis yet; a coordinator does that within seconds.'];
  if (status === 'paused') return [`The run is paused; POST /v1/runs/${runId}/resume continues it.`];
  if (status === 'finalizing') return ['Every URL is done; the final numbers are being written.'];
  return why.discovering ? ['Its start URLs are still being taken in.'] : [];
}

function workSentences(why: RunWhy | null): string[] {
  if (why === null) return [];
  const sentences: string[] = [];
  if (why.leased > 0) sentences.push(`${counted(why.leased, 'URL')} ${are(why.leased)} being fetched.`);
  if (why.unprocessed > 0)
    sentences.push(`${counted(why.unprocessed, 'page')} ${are(why.unprocessed)} fetched and not processed yet.`);
  if (why.held)
    sentences.push('No more URLs are handed out until fetched pages are processed or a page of the budget comes back.');
  if (why.delayed > 0)
    sentences.push(`${counted(why.delayed, 'URL')} ${why.delayed === 1 ? 'waits' : 'wait'} for the time of a retry.`);
  if (why.relinking > 0)
    sentences.push(
      `The links of ${counted(why.relinking, 'page')} are sent again, since a shorter way there was found.`,
    );
  if (why.deferred > 0)
    sentences.push(
      `${counted(why.deferred, 'URL')} of crowded path templates ${are(why.deferred)} put off to the end.`,
    );
  return sentences;
}

function hostSentences(rows: readonly { host: HostWhy; answer: HostAnswer }[]): string[] {
  const stuck = rows
    .filter(({ host, answer }) => host.waiting + host.delayed > 0 && answer.reason !== null)
    .sort((a, b) => b.host.waiting - a.host.waiting);
  const sentences = stuck.slice(0, NAMED_HOSTS).map(({ host, answer }) => {
    const waiting = host.waiting + host.delayed;
    const verb = waiting === 1 ? 'waits' : 'wait';
    if (answer.blockedUntil === null)
      return `${counted(waiting, 'URL')} ${verb} for ${host.host}, which ${phraseOf(host)}.`;
    const code = answer.lastFailure === null ? '' : ` (${answer.lastFailure})`;
    const after = `${answer.failures > 0 ? ` after ${counted(answer.failures, 'failure')}` : ', as it asked'}${code}`;
    return `${counted(waiting, 'URL')} ${verb} for ${host.host}, which is blocked until ${answer.blockedUntil}${after}.`;
  });
  const others = stuck.length - sentences.length;
  if (others > 0) sentences.push(`${counted(others, 'more host')} ${others === 1 ? 'has' : 'have'} URLs waiting.`);
  return sentences;
}

function phraseOf(host: HostWhy): string {
  if (host.session === 'parked') return 'has all its slots taken';
  if (host.session === 'waiting') return `waits for a free worker${withBrowser(host)}`;
  return 'is left alone until the time of a retry';
}

const withBrowser = ({ renders }: HostWhy): string => (renders ? ' with a browser' : '');
const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
const are = (n: number): string => (n === 1 ? 'is' : 'are');
