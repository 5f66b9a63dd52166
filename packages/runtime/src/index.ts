export {
  ACCESS_OF_ONE_PAGE,
  accessOf,
  type OpenedAccess,
  openAccess,
  sealAccess,
  UNREADABLE_ACCESS,
} from './access.ts';
export { count, DEFAULT_USER_AGENT, flag, readEnv, requestEnv, secretKeys, sharedEnv } from './env.ts';
export { anyBrowser, BROWSER, type Heartbeat, rolesSeen, startHeartbeat, watchBrowsers } from './heartbeat.ts';
export { createLogger, type Logger } from './logger.ts';
export { type LuaScript, loadLua, runLua, runLuaAfter } from './lua.ts';
export { connectRedis, redisNow } from './redis.ts';
export { type RoleContext, runRole } from './role.ts';
export { createVault, type Vault } from './vault.ts';
