/**
 * Installs the dependencies when they are not those of the lock file. An install that was interrupted counts as none
 * and is done again; of two at once, one waits for the other.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';

export async function ensureDependencies(root, { install = installWithPnpm, say = sayOnStderr } = {}) {
  if (isInstalled(root)) return;
  mkdirSync(join(root, '.cache'), { recursive: true });
  await withLock(join(root, '.cache', 'install.lock'), async (addOwner) => {
    // Whoever held the lock before us may have done it.
    if (isInstalled(root)) return;
    say('Installing dependencies (first start only)…');
    const marker = markerOf(root);
    rmSync(marker, { force: true });
    const wanted = fingerprint(root);
    await install(root, addOwner);
    // Last, so that only a finished install is ever marked.
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    writeFileSync(marker, wanted);
  });
}

const sayOnStderr = (line) => process.stderr.write(`${line}\n`);
const markerOf = (root) => join(root, 'node_modules', '.trawl-installed');

function isInstalled(root) {
  const marker = markerOf(root);
  return existsSync(marker) && readFileSync(marker, 'utf8') === fingerprint(root);
}

/** Of everything that decides what an install does. */
function fingerprint(root) {
  const folders = ['apps', 'packages'].flatMap((folder) =>
    existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => join(folder, name)) : [],
  );
  const manifests = ['', 'bench', 'e2e', ...folders.sort()].map((folder) => join(folder, 'package.json'));
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(`${file}\0`).update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

function installWithPnpm(root, addOwner) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const args = ['--yes', packageManager, 'install', '--frozen-lockfile', '--prod=false'];
  return new Promise((resolve, reject) => {
    const child = spawn('npx', args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Without a terminal, pnpm otherwise refuses to replace a node_modules that is not its own.
      env: { ...process.env, CI: 'true' },
    });
    if (child.pid) addOwner(child.pid);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('error', (cause) => {
      reject(new Error(`Dependencies can't be installed: npx can't be run (${cause.message}). Install Node with npm.`));
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${output}\nInstalling dependencies failed (${signal ?? `exit code ${code}`}).`));
    });
  });
}
