export { JOBS, type JobData, type JobName, PAGES_PER_JOB } from './catalog.ts';
export { type Consumer, consume } from './consume.ts';
export { openQueues, type Queues, queuePrefix } from './queues.ts';
