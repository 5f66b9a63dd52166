/**
 * Postgres with pgvector from the Debian archive without installing it. The packages are those of one release whatever the machine's
 * own is, so they come with their C library and are started through its loader: nothing of the machine has to fit. Downloaded and
 * unpacked once, into a cache.
 */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PostgresBinaries } from '@trawl/embedded';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../../.cache/postgres-vector', import.meta.url));

/** Debian 13, and the Postgres of it. */
const RELEASE = 'trixie';
const VERSION = '17';
const PROGRAMS = `usr/lib/postgresql/${VERSION}/bin`;
/** Libraries that Postgres is packaged with and runs without: the compiler behind its JIT, and Perl for the scripts around it. */
const NEEDLESS = /^lib(llvm|z3|perl|gdbm|db5|debconf|pam-modules|semanage|sepol|proc2|.*-perl$|.*-common$|c-)/;
const NEEDED = new RegExp(`^(lib.*|zlib1g|postgresql-${VERSION}|postgresql-${VERSION}-pgvector)$`);

export async function findVectorPostgres(): Promise<PostgresBinaries> {
  if (!(await isUsable())) {
    process.stderr.write('Downloading Postgres with pgvector (first time only)…\n');
    await fill();
  }
  return binaries(CACHE);
}

const binaries = (root: string): PostgresBinaries => ({
  initdb: join(root, PROGRAMS, 'initdb'),
  postgres: join(root, PROGRAMS, 'postgres'),
});

async function isUsable(): Promise<boolean> {
  const { postgres } = binaries(CACHE);
  if (!existsSync(postgres)) return false;
  try {
    await run(postgres, ['--version']);
    return true;
  } catch {
    // Whatever is wrong with it, a new one is made.
    return false;
  }
}

/** Safe when several processes do it at once: each unpacks for itself, and the first rename wins. */
async function fill(): Promise<void> {
  mkdirSync(dirname(CACHE), { recursive: true });
  const work = mkdtempSync(`${CACHE}.new-`);
  try {
    const [debs, root] = [join(work, 'debs'), join(work, 'root')];
    for (const directory of [debs, root]) mkdirSync(directory);
    await download(work, debs);
    for (const deb of readdirSync(debs)) await run('dpkg-deb', ['-x', join(debs, deb), root]);
    for (const program of ['initdb', 'postgres']) wrap(root, program);
    if (await isUsable()) return;
    if (existsSync(CACHE)) renameSync(CACHE, join(work, 'replaced'));
    try {
      renameSync(root, CACHE);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another process put its own copy there in the meantime: as good as ours.
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** With lists of its own, of that release alone; nothing of the machine's package manager is read but its keys. */
async function download(work: string, into: string): Promise<void> {
  const [lists, cache, sources] = [join(work, 'lists'), join(work, 'cache'), join(work, 'sources.list')];
  for (const directory of [join(lists, 'partial'), join(cache, 'archives/partial')])
    mkdirSync(directory, { recursive: true });
  writeFileSync(sources, `deb ${await mirror()} ${RELEASE} main\n`);
  const options = Object.entries({
    'Dir::Etc::SourceList': sources,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': lists,
    'Dir::State::status': '/dev/null',
    'Dir::Cache': cache,
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    // As root, apt downloads as the user _apt, who can't write into our directory.
    ...(process.getuid?.() === 0 ? { 'APT::Sandbox::User': 'root' } : {}),
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await run('apt-get', ['-q', ...options, 'update']);
  const plan = ['install', '--no-install-recommends', '--print-uris', '-y', `postgresql-${VERSION}-pgvector`];
  const { stdout } = await run('apt-get', ['-q', ...options, ...plan], { maxBuffer: 10_000_000 });
  const all = [...stdout.matchAll(/^'[^']+' ([^_ ]+)_/gm)].map((match) => match[1] ?? '');
  const packages = all.filter((name) => NEEDED.test(name) && !NEEDLESS.test(name));
  await run('apt-get', ['-q', ...options, 'download', ...packages], { cwd: into });
}

/** Where the machine itself gets Debian from, if it does. */
async function mirror(): Promise<string> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(SITE) $(ORIGIN)']).catch(() => ({
    stdout: '',
  }));
  const own = stdout.split('\n').find((line) => / Debian$/.test(line) && !line.includes('security'));
  return own?.split(' ')[0] ?? 'http://deb.debian.org/debian';
}

/** Each program is found under its own name, from where it looks for its library folder and for the other one. */
function wrap(root: string, program: string): void {
  const at = join(root, PROGRAMS, program);
  renameSync(at, `${at}.program`);
  const folder = readdirSync(join(root, 'usr/lib')).find((name) => name.endsWith('-linux-gnu')) ?? '';
  const libraries = `usr/lib/${folder}`;
  const loader = readdirSync(join(root, libraries)).find((name) => /^ld-linux.*\.so\.\d$/.test(name)) ?? '';
  writeFileSync(
    at,
    [
      '#!/bin/sh',
      `root=\${0%/${PROGRAMS}/*}`,
      `exec "$root/${libraries}/${loader}" --library-path "$root/${libraries}" --argv0 "$0" "$0.program" "$@"`,
      '',
    ].join('\n'),
  );
  chmodSync(at, 0o755);
}
