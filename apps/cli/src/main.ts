/** The command line's entry: finds the command and turns its result into an exit code. What commands do is theirs. */
import { parseArgs } from 'node:util';
import type { CommandContext, ExitCode } from './command.ts';
import { listenForInterrupts } from './interrupts.ts';
import { createTerminal, outliveClosedOutput, type Terminal } from './terminal.ts';
import { firstSentence } from './wrong-argument.ts';

const HELP = `Trawl crawls whole sites and turns them into clean, chunked markdown.

  npm start                     everything on this machine: Redis, Postgres, the API and every worker
  npm run crawl -- <url>        one site, written as markdown files
  npm run demo                  the same with a small bundled site, without a network
  npm run role -- <role>        one role against an existing Redis and Postgres

Each has --help, as in: npm run crawl -- --help`;

/** Null: a role has taken over the process and ends it itself. */
async function run(command: string | undefined, args: readonly string[], terminal: Terminal): Promise<ExitCode | null> {
  // Each loads its own code only: a role shares its process with nothing it does not use.
  switch (command) {
    case 'start': {
      const { START_HELP, start } = await import('./supervisor.ts');
      return withoutArguments(args, START_HELP, terminal) ?? interruptible(terminal, start);
    }
    case 'crawl': {
      const { crawl } = await import('./crawl.ts');
      return interruptible(terminal, (context) => crawl(args, context));
    }
    case 'demo': {
      const { demo } = await import('./demo.ts');
      return interruptible(terminal, (context) => demo(args, context));
    }
    case 'role': {
      const { runRole } = await import('./role.ts');
      return runRole(args, process.env, terminal);
    }
    case undefined:
    case '--help':
    case '-h':
    case 'help':
      terminal.print(HELP);
      return command === undefined ? 2 : 0;
    default:
      terminal.say(`There is no command "${command}"; it is one of start, crawl, demo and role.`);
      return 2;
  }
}

async function interruptible(
  terminal: Terminal,
  command: (context: CommandContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const interrupts = listenForInterrupts();
  try {
    return await command({ env: process.env, terminal, interrupts });
  } finally {
    interrupts.close();
  }
}

/** The exit code when there is nothing else to do: help was asked for, or an argument that `start` does not have. */
function withoutArguments(args: readonly string[], help: string, terminal: Terminal): ExitCode | null {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean', short: 'h' } }, strict: true });
    if (!values.help) return null;
    terminal.print(help);
    return 0;
  } catch (error) {
    terminal.say(firstSentence(error));
    return 2;
  }
}

outliveClosedOutput();
const terminal = createTerminal();
try {
  const [command, ...args] = process.argv.slice(2);
  const exitCode = await run(command, args, terminal);
  // Explicitly: idle keep-alive connections would hold the process for some seconds more.
  if (exitCode !== null) process.exit(exitCode);
} catch (error) {
  terminal.clearStatus();
  terminal.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
}
