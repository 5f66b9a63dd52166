export { testBrowser } from './browser.ts';
export {
  type EmbeddingsAnswer,
  type EmbeddingsEndpoint,
  type EmbeddingsRequest,
  startEmbeddingsEndpoint,
} from './embeddings-endpoint.ts';
export { type GenerateSiteOptions, generateSite } from './generate-site.ts';
export { floods } from './misbehaving-parts.ts';
export { MISBEHAVING, type MisbehavingServer } from './misbehaving-servers.ts';
export { type TestDatabase, testDatabase } from './postgres.ts';
export { type FixtureProxy, type ProxyOptions, startProxy } from './proxy.ts';
export { type PrivateRedis, startPrivateRedis, testPrefix, testRedis, testRedisUrl } from './redis.ts';
export {
  type FixtureSite,
  type SiteHandler,
  type SiteOptions,
  type SitePage,
  type SiteRequest,
  startSite,
} from './site.ts';
export { textInPostgres, textInRedis } from './stored-text.ts';
export { startVectorPostgres, type VectorPostgres } from './vector-postgres.ts';
export { waitFor } from './wait.ts';
