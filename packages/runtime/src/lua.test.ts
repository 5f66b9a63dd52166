import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { testPrefix, testRedis } from '@trawl/testing';
import { expect, it, onTestFinished } from 'vitest';
import { loadLua, runLua, runLuaAfter } from './lua.ts';

const redis = testRedis();

function scripts(files: Record<string, string>): URL {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-lua-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.lua`), text);
  return pathToFileURL(`${folder}/`);
}

it('takes in an include once, however many ask for it', () => {
  const directory = scripts({
    base: 'local n = (n or 0) + 1',
    left: '--@include base\nlocal l = 1',
    right: '--@include base\nlocal r = 1',
    main: '--@include left\n--@include right\nreturn n',
  });
  expect(loadLua(directory, 'main').source.match(/local n/g)).toHaveLength(1);
});

it('runs a script the server has never seen, and again after it forgot all scripts', async () => {
  const script = loadLua(scripts({ main: `-- ${testPrefix()}\nreturn KEYS[1] .. ARGV[1]` }), 'main');
  expect(await runLua(redis, script, ['k'], ['v'])).toBe('kv');
  await redis.script('FLUSH');
  expect(await runLua(redis, script, ['k'], ['v'])).toBe('kv');
});

it('runs a script behind the commands it relies on, also when it has to be sent whole', async () => {
  const key = `${testPrefix()}body`;
  const script = loadLua(scripts({ main: `-- ${testPrefix()}\nreturn redis.call('GET', KEYS[1])` }), 'main');
  for (let i = 0; i < 2; i++) {
    const replies = await runLuaAfter(redis, (pipeline) => pipeline.set(key, `value ${i}`), script, [key], []);
    expect(replies).toEqual(['OK', `value ${i}`]);
  }
});

it('throws what the script throws', async () => {
  const script = loadLua(scripts({ main: "return redis.error_reply('BROKEN on purpose')" }), 'main');
  await expect(runLua(redis, script, [], [])).rejects.toThrow('BROKEN on purpose');
});
