import { describe, expect, it } from 'vitest';
import { parseRole, runRole } from './role.ts';
import { createTerminal } from './terminal.ts';

async function refusal(names: string[], env: NodeJS.ProcessEnv): Promise<{ code: number | null; text: string }> {
  let text = '';
  const stream = {
    write: (part: string) => {
      text += part;
      return true;
    },
  };
  const code = await runRole(names, env, createTerminal(stream, stream, {}));
  return { code, text };
}

describe('a role', () => {
  it('is one of those that exist', () => {
    expect(parseRole(['fetch'])).toEqual({ kind: 'role', role: 'fetch' });
    expect(parseRole(['migrate'])).toEqual({ kind: 'migrate' });
  });

  it.each([
    [[], 'Which role? One of api, discover, fetch, render, process, coordinator, migrate.'],
    [['cook'], 'There is no role "cook"; it is one of api, discover, fetch, render, process, coordinator, migrate.'],
    [['api', 'fetch'], 'One role at a time: "fetch" is one too many.'],
  ])('given as %j is refused in one sentence', async (names, message) => {
    expect(await refusal(names, {})).toEqual({ code: 2, text: `${message}\n` });
  });

  it.each([
    [{}, 'REDIS_URL and DATABASE_URL must say'],
    [{ REDIS_URL: 'redis://x', DATABASE_URL: ' ' }, 'DATABASE_URL must say'],
  ])('needs to know its servers: %j', async (env, message) => {
    const { code, text } = await refusal(['fetch'], env);
    expect(code).toBe(2);
    expect(text).toContain(message);
  });
});
