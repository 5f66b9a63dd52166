/** The key of this machine's installation, for whoever sets none: made once, kept beside the data that it seals, for its owner's eyes. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function keptSecretKey(dataDir: string): string {
  const file = join(dataDir, 'secret-key');
  const known = read(file);
  if (known !== null) return known;
  mkdirSync(dataDir, { recursive: true });
  // Whole or not there at all, and never in place of one that is: what that has sealed would be lost.
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(whole, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(whole, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
