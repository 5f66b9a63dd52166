/** Where the program of each role lies. Each runs on import, and ends its process itself. */
import type { Role } from '@trawl/contracts';

const FOLDERS: Readonly<Record<Role, string>> = {
  api: 'api',
  discover: 'discover-worker',
  fetch: 'fetch-worker',
  render: 'render-worker',
  process: 'process-worker',
  coordinator: 'coordinator',
};

export function roleEntry(role: Role): URL {
  return new URL(`../../${FOLDERS[role]}/src/main.ts`, import.meta.url);
}
