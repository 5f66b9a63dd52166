export { JOBS, type JobData, type JobName, PAGES_PER_JOB } from './catalog.ts';
export { type Consumer, consume, type JobInfo } from './consume.ts';
export { type Crawl, type CrawlConsumer, type Crawls, consumeCrawls, openCrawls } from './crawls.ts';
export { openQueues, type Queues, queuePrefix } from './queues.ts';
export type { KnownSchedule, Schedule, Schedules } from './schedules.ts';
