/**
 * What every npm script of this repository goes through: brings the dependencies up to date, finds a Node that runs
 * TypeScript, and hands over. Plain JavaScript without dependencies, since it runs before there are any, on Node 18 up.
 */
import { fileURLToPath } from 'node:url';
import { handOver } from './hand-over.mjs';
import { ensureDependencies } from './install.mjs';
import { findNode } from './runtime-node.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [command = '', ...args] = process.argv.slice(2);

/** As ROLE_NODE_ARGS of packages/contracts says, which can't be read before there is a Node that runs it; e2e/containers.e2e.ts compares. */
function nodeArgsOf(role) {
  if (role === 'api') return ['--max-semi-space-size=2', '--max-old-space-size=256'];
  return ['discover', 'fetch', 'render'].includes(role) ? ['--max-semi-space-size=8'] : [];
}

/** What runs for each command, as arguments of Node 24. */
const PROGRAMS = {
  start: ['apps/cli/src/main.ts', 'start'],
  crawl: ['apps/cli/src/main.ts', 'crawl'],
  demo: ['apps/cli/src/main.ts', 'demo'],
  role: [...nodeArgsOf(args[0]), 'apps/cli/src/main.ts', 'role'],
  test: ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=./scripts/tests-line-reporter.mjs'],
  check: ['scripts/check.mjs'],
  bench: ['bench/src/main.ts'],
  'bench:exports': ['bench/src/export-memory.ts'],
  'bench:renders': ['bench/src/render-memory.ts'],
  quality: ['bench/src/quality/main.ts'],
  'quality:articles': ['bench/src/quality/articles.ts'],
  'quality:cost': ['bench/src/quality/cost.ts'],
};

try {
  const program = PROGRAMS[command];
  if (!program) throw new Error(`Unknown command "${command}". Known: ${Object.keys(PROGRAMS).join(', ')}.`);
  await ensureDependencies(root);
  handOver(findNode(root), [...program, ...args], root);
} catch (error) {
  // A sentence, not a stack: whoever reads this has just cloned the repository.
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
