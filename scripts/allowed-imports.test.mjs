import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findBreaches, readWorkspaces } from './allowed-imports.mjs';

const workspace = (folder, dependencies, devDependencies = []) => ({
  folder,
  manifest: {
    name: `@trawl/${folder.split('/').at(-1)}`,
    dependencies: Object.fromEntries(dependencies.map((name) => [`@trawl/${name}`, 'workspace:*'])),
    devDependencies: Object.fromEntries(devDependencies.map((name) => [`@trawl/${name}`, 'workspace:*'])),
  },
});

describe('the direction of imports', () => {
  it('is kept by this repository', () => {
    expect(findBreaches(readWorkspaces(fileURLToPath(new URL('..', import.meta.url))))).toEqual([]);
  });

  it.each([
    ['an app may use wakeups, middle and base packages', workspace('apps/api', ['wakeups', 'db', 'runtime', 'url'])],
    ['the supervisor may start servers', workspace('apps/cli', ['embedded'])],
    ['wakeups may use the three it joins', workspace('packages/wakeups', ['crawl-state', 'politeness', 'queues'])],
    ['testing may be a devDependency anywhere', workspace('packages/url', [], ['testing'])],
    ['e2e may use an app', workspace('e2e', ['api'])],
  ])('%s', (_, allowed) => {
    expect(findBreaches([allowed, workspace('apps/api', [])])).toEqual([]);
  });

  it.each([
    ['two middle packages', workspace('packages/db', ['queues']), 'let the app wire the two'],
    ['a middle package in tests only', workspace('packages/db', [], ['queues']), 'let the app wire the two'],
    ['leftwards', workspace('packages/contracts', ['runtime']), 'may use none'],
    ['runtime on a middle package', workspace('packages/runtime', ['db']), 'packages/runtime depends on @trawl/db'],
    ['wakeups on db', workspace('packages/wakeups', ['db']), 'packages/wakeups depends on @trawl/db'],
    ['an app on another', workspace('apps/coordinator', ['api']), 'move what it needs into a package'],
    ['a worker that starts servers', workspace('apps/api', ['embedded']), 'not to its right'],
    ['testing shipped', workspace('apps/api', ['testing']), 'move it to devDependencies'],
    ['a package nobody has placed', workspace('packages/new', []), 'packages/new is not in the map'],
  ])('refuses %s, and says what to do', (_, refused, sentence) => {
    const [breach, ...more] = findBreaches(
      [refused, workspace('apps/api', [])].slice(0, refused.folder === 'apps/api' ? 1 : 2),
    );
    expect(breach).toContain(sentence);
    expect(more).toEqual([]);
  });
});
