/**
 * `demo`: serves a small bundled site on this machine and crawls it like any other, without a network. The demo's own
 * stack may fetch from loopback; nobody else's settings change.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { CommandContext, ExitCode } from './command.ts';
import { crawlSite } from './crawl.ts';
import { defaultOutput } from './crawl-options.ts';
import { serveDemoSite } from './demo-server.ts';
import { firstSentence } from './wrong-argument.ts';

const DEMO_HELP = `Crawls a small site that comes with Trawl, on this machine and without a network.

  npm run demo -- [--output DIR] [--force]

  --output DIR   where the files go (trawl-output/demo-<time>)
  --force        write into --output even if it is not empty`;

/** Reads like the others of the site, and shows a heading, a list and code. */
const SHOWN_PAGE = '/guide/getting-started';
const SHOWN_LINES = 14;

export async function demo(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  let values: ReturnType<typeof parse>['values'];
  try {
    values = parse(args).values;
  } catch (error) {
    terminal.say(firstSentence(error));
    return 2;
  }
  if (values.help) {
    terminal.print(DEMO_HELP);
    return 0;
  }
  const outputDirectory = resolve(process.cwd(), values.output ?? defaultOutput('demo', new Date()));
  const site = await serveDemoSite();
  try {
    terminal.print(`Crawling the demo site at ${site.url}`);
    const request = {
      run: { url: site.url, maxDepth: 10 },
      outputs: [{ format: 'files', path: outputDirectory }] as const,
      output: outputDirectory,
      isForced: values.force ?? false,
      isJson: false,
    };
    // Not into anyone's Redis or Postgres: a demo leaves nothing but its files.
    const env = { ...context.env, ALLOW_PRIVATE_NETWORKS: 'true', REDIS_URL: '', DATABASE_URL: '', BLOB_URL: '' };
    const { exitCode, written } = await crawlSite(request, { ...context, env });
    const shown = written?.pages.find(({ url }) => new URL(url).pathname === SHOWN_PAGE) ?? written?.pages[0];
    if (shown) {
      terminal.print(`\nThe first lines of ${shown.file}:\n`);
      const lines = (await readFile(join(outputDirectory, shown.file), 'utf8')).split('\n').slice(0, SHOWN_LINES);
      for (const line of lines) terminal.print(terminal.paint('dim', `  ${line}`));
      terminal.print(`\nAll of it:  ${join(outputDirectory, 'index.md')}`);
    }
    return exitCode;
  } finally {
    await site.close();
  }
}

function parse(args: readonly string[]) {
  const options = {
    output: { type: 'string' },
    force: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  return parseArgs({ args: [...args], options, allowPositionals: false, strict: true });
}
