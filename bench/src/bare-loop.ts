/** The bare loop as its own process, kept over all rounds; one crawl at a time. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { BareCrawl } from './bare-crawl.ts';
import { nodeArgs } from './node-args.ts';
import type { Processes } from './processes.ts';

export interface BareLoop {
  readonly pid: number;
  crawl(start: string): Promise<BareCrawl>;
}

const CHILD = fileURLToPath(new URL('./bare-child.ts', import.meta.url));

export function startBareLoop(processes: Processes, profileDir: string | null): BareLoop {
  requireNativeMarkdown();
  const { child, pid } = processes.start({
    name: 'bare loop',
    command: process.execPath,
    args: nodeArgs(CHILD, 'bare', profileDir),
    ipc: true,
  });
  return {
    pid,
    crawl: async (start) => {
      const reply = once(child, 'message');
      child.send(start);
      const [crawl] = await Promise.race([reply, processes.died]);
      return crawl as BareCrawl;
    },
  };
}

/** mdream may also run as WebAssembly, which would make the yardstick slower than it should be, unsaid. */
function requireNativeMarkdown(): void {
  const name = `@mdream/rust-linux-${process.arch}-gnu`;
  try {
    createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(`The native markdown converter is not installed (${name}), so there is nothing to compare with.`, {
      cause,
    });
  }
}
