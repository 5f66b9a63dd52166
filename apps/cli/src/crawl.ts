/**
 * `crawl`: a stack of its own for one run, from the POST to the files. The pieces know how (`stack`, `watch-run`,
 * `write-pages`, `write-export`); this knows the order, and that the stack is stopped and its data removed whatever happens.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isFinal, TrawlError } from '@trawl/contracts';
import { type ApiClient, createApiClient } from './api-client.ts';
import type { CommandContext, ExitCode } from './command.ts';
import { crawlDataDir, sweepDeadCrawls } from './crawl-data.ts';
import { CRAWL_HELP, type CrawlRequest, parseCrawlArguments } from './crawl-options.ts';
import { formatSummary, summarize } from './crawl-summary.ts';
import { readSettings, type Settings } from './env.ts';
import { asOutputError, OutputError, type OutputPlace } from './output-place.ts';
import type { RunFiles, WrittenRun } from './page-files.ts';
import { type Stack, startStack } from './stack.ts';
import { watchRun } from './watch-run.ts';
import { checkOutputFile, writeExport } from './write-export.ts';
import { checkOutputDirectory, type ListedRun, listRun, writePages } from './write-pages.ts';

export interface CrawlResult {
  readonly exitCode: ExitCode;
  /** The files, where some were asked for and it came to that. */
  readonly written: WrittenRun | null;
}

export async function crawl(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  const parsed = parseCrawlArguments(args, process.cwd(), new Date());
  if (parsed.kind === 'help') {
    context.terminal.print(CRAWL_HELP);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    context.terminal.say(parsed.message);
    return 2;
  }
  return (await crawlSite(parsed.request, context)).exitCode;
}

export async function crawlSite(request: CrawlRequest, context: CommandContext): Promise<CrawlResult> {
  const { env, terminal, interrupts } = context;
  const refused = (message: string, exitCode: ExitCode): CrawlResult => {
    terminal.say(message);
    return { exitCode, written: null };
  };
  const read = readSettings(env);
  if (read.kind === 'invalid') return refused(read.message, 2);
  const output = await checkOutputs(request);
  if (output.kind === 'refused') return refused(output.message, 2);

  const say = (line: string): void => terminal.say(line);
  const settings = settingsForOneRun(read.settings, env);
  // The API is there for this process alone.
  const apiKey = randomBytes(16).toString('hex');
  let stack: Stack | null = null;
  try {
    if (terminal.isLive) terminal.status('Starting …');
    await sweepDeadCrawls(read.settings.dataDir, say);
    stack = await startStack({ settings, env: { ...env, API_KEYS: apiKey }, durable: false, interrupts, say });
    return await runOnce(request, stack, createApiClient(stack.apiUrl, apiKey), context);
  } catch (error) {
    if (interrupts.graceful.aborted) return refused('Interrupted; nothing was written.', 130);
    if (error instanceof TrawlError || error instanceof OutputError) return refused(error.message, 1);
    throw error;
  } finally {
    terminal.clearStatus();
    await stack?.stop();
    await rm(settings.dataDir, { recursive: true, force: true });
  }
}

async function runOnce(
  request: CrawlRequest,
  stack: Stack,
  api: ApiClient,
  context: CommandContext,
): Promise<CrawlResult> {
  const { terminal, interrupts } = context;
  const startedMs = Date.now();
  const started = await api.startRun(request.run);
  if (started.kind === 'refused') {
    terminal.say(`The crawl was refused: ${started.message}`);
    return { exitCode: 1, written: null };
  }
  const { id: runId, createdAt } = started.run;
  const watched = await watchRun({ api, runId, startedMs, terminal, interrupts, broken: stack.broken });
  if (watched.kind === 'broken') {
    terminal.say(`${watched.message} Nothing was written.`);
    return { exitCode: 1, written: null };
  }
  if (watched.kind === 'abandoned') {
    terminal.say('Stopped at once; nothing was written.');
    return { exitCode: 130, written: null };
  }
  const { status, discoveredBeyondLimit } = watched.progress;
  if (!isFinal(status)) throw new Error(`the run was left while it was ${status}`);
  const durationMs = Date.now() - startedMs;
  const { output } = request;
  const listed = await listRun(api.pages(runId));
  const warnings = await api.warnings(runId);
  const told = { runId, status, durationMs, discoveredBeyondLimit, warnings };
  const files = { startUrl: request.run.url, startedAt: createdAt, ...told };
  const written = await writeOutputs(request, files, listed, api);
  const summary = summarize({ url: request.run.url, ...told, output }, { ...listed, pages: listed.processed.length });
  if (request.isJson) terminal.print(JSON.stringify(summary, null, 2));
  else for (const line of formatSummary(summary, listed.failed, written !== null)) terminal.print(line);
  if (status === 'completed' && summary.pages === 0) terminal.say('Not a single page could be read.');
  return { exitCode: exitCodeFor(status, summary.pages, interrupts.graceful.aborted), written };
}

/** Several outputs lie in one directory, which is then the one that has to be empty. */
async function checkOutputs({ outputs, output, isForced }: CrawlRequest): Promise<OutputPlace> {
  const [first] = outputs;
  const isOneFile = outputs.length === 1 && first !== undefined && first.format !== 'files';
  return isOneFile ? checkOutputFile(first.path, isForced) : checkOutputDirectory(output, isForced);
}

async function writeOutputs(
  request: CrawlRequest,
  files: RunFiles,
  listed: ListedRun,
  api: ApiClient,
): Promise<WrittenRun | null> {
  let written: WrittenRun | null = null;
  for (const { format, path } of request.outputs) {
    if (format !== 'files') {
      await writeExport(path, await api.exportRun(files.runId, format));
      continue;
    }
    try {
      written = await writePages(path, files, listed, api);
    } catch (error) {
      throw asOutputError(error, path);
    }
  }
  return written;
}

function exitCodeFor(status: string, pages: number, isInterrupted: boolean): ExitCode {
  if (status === 'completed' && pages > 0) return 0;
  return isInterrupted ? 130 : 1;
}

/** On any free port, reachable from this machine only, with data that is removed afterwards. */
function settingsForOneRun(settings: Settings, env: NodeJS.ProcessEnv): Settings {
  const dataDir = crawlDataDir(settings.dataDir);
  return {
    ...settings,
    host: '127.0.0.1',
    port: 0,
    dataDir,
    blobUrl: env.BLOB_URL?.trim() ? settings.blobUrl : pathToFileURL(join(dataDir, 'blobs')).href,
  };
}
