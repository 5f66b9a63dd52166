export { createApi } from './api.ts';
export type { ApiDeps, ApiSettings } from './deps.ts';
