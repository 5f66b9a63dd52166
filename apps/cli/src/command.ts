/** What every command is handed, so that none reaches for the process by itself. */
import type { Interrupts } from './interrupts.ts';
import type { Terminal } from './terminal.ts';

export interface CommandContext {
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
}

/** 0 done · 1 it went wrong · 2 it was asked for wrongly · 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;
