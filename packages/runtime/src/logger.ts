/** One log per process: JSON lines on stderr, so that stdout stays free for what a person asked for. */
import { type Logger, pino } from 'pino';

export type { Logger };

export function createLogger(o: { level: string; role: string }): Logger {
  return pino(
    { level: o.level, base: { role: o.role, pid: process.pid }, serializers: { err: describeError } },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** Message, code and stack. Not what else hangs on an error: a Redis error carries the whole script it was about. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: error.message.slice(0, 2000),
    ...(code === undefined ? {} : { code }),
    stack: error.stack?.slice(0, 4000),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
