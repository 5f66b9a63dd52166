/**
 * The container files without an engine: the Dockerfile is linted, and every service of the compose file runs with its exact
 * command and environment as a plain process, host names and the volume's path replaced by what is at hand.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ROLE_NODE_ARGS, ROLES } from '@trawl/contracts';
import { startPrivateRedis, startSite, testDatabase, waitFor } from '@trawl/testing';
import { validate } from 'dockerfile-utils';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8');

interface Service {
  readonly command: string[];
  readonly environment?: Record<string, string | number>;
  readonly build?: string | { readonly target: string };
  readonly depends_on?: Record<string, { condition: string }>;
}
const compose = parse(await readFile(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const own = Object.entries(compose.services).filter(([, service]) => service.build !== undefined);

/** As compose does it: `${NAME}`, `${NAME:-default}`, `${NAME:?message}`. */
function interpolate(value: string, given: Record<string, string>): string {
  return value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    const set = given[name];
    if (set) return set;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return kind === '-' ? rest : '';
  });
}

describe('the Dockerfile', () => {
  it('has nothing to complain about', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  it('knows every package of the workspace, or the install in the image would fail', async () => {
    for (const parent of ['apps', 'packages']) {
      for (const name of await readdir(join(ROOT, parent))) {
        expect(dockerfile).toContain(`COPY ${parent}/${name}/package.json ${parent}/${name}/`);
      }
    }
  });

  it('has a browser in an image of its own, which is not what a plain build makes', () => {
    const stages = [...dockerfile.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)].map(([, from, name]) => [from, name]);
    expect(stages.slice(-2)).toEqual([
      ['roles', 'render'],
      ['roles', undefined],
    ]);
    expect(compose.services.render?.build).toMatchObject({ target: 'render' });
  });

  it('does not run as root, and has a health check', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });
});

describe('the compose file', () => {
  it('has a service for each role, after Redis is up and the database is migrated', () => {
    expect(own.map(([name]) => name).sort()).toEqual([
      ...['api', 'coordinator', 'discover', 'fetch', 'migrate', 'process', 'render'],
    ]);
    for (const [name, service] of own) {
      expect(service.command).toEqual([name]);
      if (name !== 'migrate') expect(service.depends_on?.migrate?.condition).toBe('service_completed_successfully');
    }
  });

  it('tells Node what each role tells it, and so does npm run role', async () => {
    for (const role of ROLES) {
      const options = ROLE_NODE_ARGS[role].join(' ');
      expect(String(compose.services[role]?.environment?.NODE_OPTIONS ?? '')).toBe(options);
    }
    const bootstrap = await readFile(join(ROOT, 'scripts/bootstrap.mjs'), 'utf8');
    const list = (words: readonly string[]) => `[${words.map((word) => `'${word}'`).join(', ')}]`;
    const named = ROLES.filter((role) => role !== 'api' && ROLE_NODE_ARGS[role].length > 0);
    expect(bootstrap).toContain(`${list(named)}.includes(role) ? ${list(ROLE_NODE_ARGS.fetch)}`);
    expect(bootstrap).toContain(`role === 'api') return ${list(ROLE_NODE_ARGS.api)}`);
  });

  it('keeps what Redis holds, and refuses to start the API without keys', () => {
    expect(compose.services.redis?.command).toEqual(expect.arrayContaining(['--appendonly', 'yes', 'noeviction']));
    expect(() => interpolate(String(compose.services.api?.environment?.API_KEYS), {})).toThrow('API_KEYS');
  });

  it("crawls a site with every service's own command and environment", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawl-containers-'));
    const [redis, database, web] = await Promise.all([
      startPrivateRedis({ durable: true }),
      testDatabase(),
      startSite({
        pages: new Map([
          ['/', { body: '<a href="/a">a</a>' }],
          ['/a', { body: '<h1>A</h1>' }],
        ]),
      }),
    ]);
    const children: ChildProcess[] = [];
    onTestFinished(async () => {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all([redis.stop(), database.drop(), web.close(), rm(folder, { recursive: true, force: true })]);
    });
    const key = 'a-key-that-is-long-enough';
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const at: Record<string, string> = {
      REDIS_URL: redis.url,
      DATABASE_URL: database.url,
      BLOB_URL: pathToFileURL(join(folder, 'blobs')).href,
      HOST: '127.0.0.1',
      PORT: String(port),
    };
    const entryPoint = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
    const run = (name: string): ChildProcess => {
      const service = compose.services[name] as Service;
      const env: Record<string, string> = { PATH: process.env.PATH ?? '', HEALTH_FILE: join(folder, `${name}.alive`) };
      for (const [variable, value] of Object.entries(service.environment ?? {})) {
        env[variable] = at[variable] ?? interpolate(String(value), { API_KEYS: key, ALLOW_PRIVATE_NETWORKS: 'true' });
      }
      const [, ...args] = [...entryPoint, ...service.command];
      const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
      children.push(child);
      return child;
    };
    const migration = run('migrate');
    expect(await new Promise((resolve) => migration.once('exit', resolve))).toBe(0);
    for (const [name] of own) if (name !== 'migrate') run(name);

    const api = async (path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      });
    await waitFor(async () => (await api('/readyz').catch(() => null))?.status === 200, {
      timeoutMs: 60_000,
      what: 'readiness',
    });
    expect((await fetch(`http://127.0.0.1:${port}/v1/runs`)).status).toBe(401);
    const { id } = (await (
      await api('/v1/runs', { method: 'POST', body: JSON.stringify({ url: web.url('/') }) })
    ).json()) as { id: string };
    const end = await waitFor(
      async () => {
        const progress = (await (await api(`/v1/runs/${id}/progress`)).json()) as { status: string; processed: number };
        return progress.status === 'completed' ? progress : null;
      },
      { timeoutMs: 30_000, what: 'the end of the run' },
    );
    expect(end.processed).toBe(2);

    const health = (name: string): Promise<number | null> =>
      new Promise((resolve) => {
        const env = { HEALTH_FILE: join(folder, `${name}.alive`) };
        spawn(process.execPath, ['infra/health-check.mjs'], { cwd: ROOT, env, stdio: 'ignore' }).once('exit', resolve);
      });
    expect(await Promise.all(['api', 'discover', 'fetch', 'render', 'process', 'coordinator'].map(health))).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
    expect(await health('nobody')).toBe(1);
  }, 120_000);
});
