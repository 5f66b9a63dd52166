// A container's health: a role touches HEALTH_FILE every two seconds while it reaches Redis.
import { statSync } from 'node:fs';

const STALE_MS = 15_000;
const file = process.env.HEALTH_FILE;
const age = file ? Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) : Number.POSITIVE_INFINITY;
if (age > STALE_MS) {
  console.error(`no sign of life in ${file ?? 'HEALTH_FILE, which is not set'} for ${Math.round(age / 1000)} s`);
  process.exit(1);
}
