/** Everything that is checked without running Trawl. Goes on after a failure, and says what would mend it. */
import { spawnSync } from 'node:child_process';

const CHECKS = [
  { name: 'format and lint', command: ['biome', 'check'], fix: 'npx biome check --write' },
  { name: 'types', command: ['tsc', '--noEmit', '-p', '.'], fix: 'correct the types named above' },
  {
    name: 'allowed imports',
    command: ['node', 'scripts/allowed-imports.mjs'],
    fix: 'follow the sentences above, or change scripts/allowed-imports.mjs together with ARCHITECTURE.md',
  },
  {
    name: 'dead code',
    command: ['knip', '--config', 'scripts/knip.json', '--no-progress'],
    fix: 'remove what is named above',
  },
];

const failed = CHECKS.filter(({ name, command: [program, ...args] }) => {
  process.stdout.write(`── ${name}\n`);
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (error) process.stderr.write(`${program} can't be run: ${error.message}\n`);
  return status !== 0;
});
for (const { name, fix } of failed) process.stdout.write(`✗ ${name}. To fix it: ${fix}\n`);
if (failed.length === 0) process.stdout.write('✓ all checks passed\n');
process.exitCode = failed.length === 0 ? 0 : 1;
