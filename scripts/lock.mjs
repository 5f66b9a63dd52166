/** A lock between processes on one machine: a directory, since making one either succeeds or does not. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a lock may be without the name of its owner: it is written right after the directory is made. */
const NAMELESS_MS = 5000;

/**
 * Runs `work` while no other process holds the lock. A lock all of whose owners are dead is taken over; `work` may add
 * owners, children that would go on without us.
 */
export async function withLock(directory, work) {
  while (!take(directory)) {
    breakIfStale(directory);
    await sleep(50);
  }
  const release = () => rmSync(directory, { recursive: true, force: true });
  const owners = [process.pid];
  const addOwner = (pid) => {
    owners.push(pid);
    writeOwners(directory, owners);
  };
  writeOwners(directory, owners);
  try {
    return await work(addOwner);
  } finally {
    release();
  }
}

function take(directory) {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function writeOwners(directory, owners) {
  const file = join(directory, 'owners');
  writeFileSync(`${file}.new`, owners.join('\n'));
  renameSync(`${file}.new`, file);
}

function breakIfStale(directory) {
  const before = ownersText(directory);
  if (!isStale(directory, before)) return;
  // By rename, which only one process can do; and undone if the lock had changed hands since we looked.
  const aside = `${directory}.${process.pid}`;
  try {
    renameSync(directory, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (ownersText(aside) === before) rmSync(aside, { recursive: true, force: true });
  else renameSync(aside, directory);
}

function isStale(directory, owners) {
  if (owners !== null) return !owners.split('\n').some((pid) => isAlive(Number(pid)));
  try {
    return Date.now() - statSync(directory).mtimeMs > NAMELESS_MS;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function ownersText(directory) {
  try {
    return readFileSync(join(directory, 'owners'), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // "Not permitted" is a live process of another user.
    return error.code === 'EPERM';
  }
}
