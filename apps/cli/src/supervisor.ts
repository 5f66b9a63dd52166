/**
 * `start`: runs the whole stack until a signal says otherwise, and tells where everything is. The stack itself knows how
 * to start and stop; this decides when, and with which exit code.
 */
import { TrawlError } from '@trawl/contracts';
import type { CommandContext, ExitCode } from './command.ts';
import { sweepDeadCrawls } from './crawl-data.ts';
import { readSettings, type Settings } from './env.ts';
import { aborted, type Interrupts } from './interrupts.ts';
import { type Stack, startStack } from './stack.ts';
import type { Terminal } from './terminal.ts';

export const START_HELP = `Starts everything on this machine and keeps it running until Ctrl+C.

  npm start

Set by the environment:
  HOST, PORT                 where the API listens (127.0.0.1, 3000; 0 = any free port)
  REDIS_URL, DATABASE_URL    servers to use instead of private ones
  DATA_DIR                   where the private servers keep their files (.data)
  BLOB_URL                   where large bodies go (below DATA_DIR)
  API_KEYS                   keys the API asks for, separated by commas; required when HOST is not loopback
  SECRET_KEY                 seals headers, cookies and logins of sources (made, and kept in DATA_DIR/secret-key)
  LOG_LEVEL                  what of the workers' logs is shown (warn)
  PROCESS_WORKERS            processes that parse pages (one per core)
  FETCH_WORKERS, DISCOVER_WORKERS, COORDINATORS   the other workers (1 each)
  ALLOW_PRIVATE_NETWORKS     true lets crawls reach this machine and its network (false)`;

export async function start({ env, terminal, interrupts }: CommandContext): Promise<ExitCode> {
  const read = readSettings(env);
  if (read.kind === 'invalid') {
    terminal.say(read.message);
    return 2;
  }
  const { settings } = read;
  const say = (line: string): void => terminal.say(line);
  let stack: Stack;
  try {
    await sweepDeadCrawls(settings.dataDir, say);
    stack = await startStack({ settings, env, durable: true, interrupts, say });
  } catch (error) {
    if (interrupts.graceful.aborted) return stopCode(interrupts);
    if (!(error instanceof TrawlError)) throw error;
    say(error.message);
    return 1;
  }
  for (const line of describe(stack, settings, terminal)) terminal.print(line);

  const broken = await Promise.race([stack.broken, aborted(interrupts.graceful)]);
  if (broken) say(`${broken} Stopping.`);
  else say('Stopping: workers finish what they are at, up to 10 s. Once more to stop at once.');
  await stack.stop();
  terminal.print('Stopped.');
  return broken ? 1 : stopCode(interrupts);
}

/** 0 for a stop that was let finish; what a shell expects of an interrupted program otherwise. */
function stopCode(interrupts: Interrupts): ExitCode {
  return interrupts.atOnce.aborted ? 130 : 0;
}

function describe(stack: Stack, settings: Settings, { paint }: Terminal): string[] {
  const { redis, postgres } = stack.serverPids;
  const embedded = (pid: number | null): string => (pid === null ? '' : paint('dim', `  embedded, pid ${pid}`));
  const workers = [...stack.children].filter(([name]) => name !== 'api').map(([name, pid]) => `${name} (${pid})`);
  const row = (label: string, text: string): string => `  ${paint('bold', label.padEnd(9))} ${text}`;
  // Expanded by the shell, so that the key is not on the screen.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that expands it
  const key = settings.apiKeys.length > 0 ? ' -H "Authorization: Bearer ${API_KEYS%%,*}"' : '';
  const runs = `${stack.apiUrl}/v1/runs`;
  const newest = `$(curl -s${key} '${runs}?limit=1' | grep -o 'run_[0-9a-z]*' | head -1)`;
  return [
    paint('green', 'Trawl is running.'),
    row('API', `${stack.apiUrl}${paint('dim', `  pid ${stack.children.get('api')}`)}`),
    row('Redis', `${withoutPassword(stack.redisUrl)}${embedded(redis)}`),
    row('Postgres', `${withoutPassword(stack.databaseUrl)}${embedded(postgres)}`),
    row('Workers', `${workers.join(', ')}${paint('dim', '  with their pids')}`),
    row('Data', settings.dataDir),
    '',
    'Start a run:',
    `  curl${key} ${runs} -H 'content-type: application/json' -d '{"url":"https://example.com","maxPages":20}'`,
    'Watch the newest one:',
    `  curl${key} ${runs}/${newest}/progress`,
    'Or try it without a network:  npm run demo',
    '',
    'Ctrl+C stops everything.',
  ];
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  if (url.password) url.password = '***';
  return url.href;
}
