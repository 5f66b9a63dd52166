export { count, DEFAULT_USER_AGENT, flag, readEnv, robotsEnv, sharedEnv } from './env.ts';
export { anyBrowser, BROWSER, type Heartbeat, rolesSeen, startHeartbeat, watchBrowsers } from './heartbeat.ts';
export { createLogger, type Logger } from './logger.ts';
export { type LuaScript, loadLua, runLua, runLuaAfter } from './lua.ts';
export { connectRedis } from './redis.ts';
export { type RoleContext, runRole } from './role.ts';
