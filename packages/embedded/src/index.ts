export { type ChildRecord, clearOrphans, forgetChild, recordChild } from './pidfile.ts';
export { type PostgresOptions, startPostgres } from './postgres.ts';
export type { PostgresBinaries } from './postgres-binary.ts';
export { type RedisOptions, startRedis } from './redis.ts';
export type { EmbeddedServer, ServerExit } from './server-process.ts';
export { type EmbeddedServers, type ServersOptions, startServers } from './servers.ts';
