export { createApi } from './api.ts';
export type { ApiDeps, ApiSettings, HostDescription } from './deps.ts';
