/**
 * What a person sees: lines on stdout and stderr, and one status line that is redrawn in place on a terminal.
 * Colours only where the stream is a terminal and NO_COLOR is not set. Knows nothing of what is said.
 */
import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): boolean;
}

export interface Terminal {
  /** Whether the status line can be redrawn in place. */
  readonly isLive: boolean;
  readonly columns: number;
  /** A result, on stdout. */
  print(line: string): void;
  /** News and complaints, on stderr. */
  say(line: string): void;
  /** Replaces the status line (stderr). Without a terminal it is a plain line. */
  status(line: string): void;
  clearStatus(): void;
  paint(style: Style, text: string): string;
}

const ERASE_LINE = '\r\u001b[2K';

export function createTerminal(
  stdout: OutputStream = process.stdout,
  stderr: OutputStream = process.stderr,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Terminal {
  const isLive = Boolean(stderr.isTTY) && env.TERM !== 'dumb';
  const hasColours = Boolean(stdout.isTTY) && env.TERM !== 'dumb' && !env.NO_COLOR;
  let statusShown = '';

  const clearStatus = (): void => {
    if (statusShown) stderr.write(ERASE_LINE);
    statusShown = '';
  };
  // A line that comes while the status is shown goes above it.
  const above = (stream: OutputStream, line: string): void => {
    const shown = statusShown;
    clearStatus();
    stream.write(`${line}\n`);
    if (shown) {
      stderr.write(shown);
      statusShown = shown;
    }
  };

  return {
    isLive,
    get columns() {
      return stderr.columns ?? 80;
    },
    print: (line) => above(stdout, line),
    say: (line) => above(stderr, line),
    status: (line) => {
      if (!isLive) {
        stderr.write(`${line}\n`);
        return;
      }
      stderr.write(`${ERASE_LINE}${line}`);
      statusShown = line;
    },
    clearStatus,
    paint: (style, text) => (hasColours ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** A closed pipe (`npm start | head -1`) must not end a program that has processes to stop. */
export function outliveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
}
