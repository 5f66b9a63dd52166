export { createWakeups, type Wakeups } from './wakeups.ts';
