/** A process that asks for two crawls, one after the other, and waits for them until it is killed. */
import { crawlTaskSchema } from '@trawl/contracts';
import { connectRedis, createLogger } from '@trawl/runtime';
import { openCrawls } from './crawls.ts';

const [url = '', prefix = ''] = process.argv.slice(2);
const redis = connectRedis(url, { logger: createLogger({ level: 'silent', role: 'test' }) });
const crawls = await openCrawls(redis, { prefix, mostAtWork: 1 });
for (const path of ['first', 'second']) {
  const request = crawlTaskSchema.parse({ url: `https://example.com/${path}` });
  await crawls.ask({ request, access: null, userAgent: 'test', patienceMs: 60_000 });
}
process.send?.('asked');
