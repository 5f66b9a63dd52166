/**
 * Bounds what one answer may send on its connection, whatever it is made of. The parser keeps no count of a status line,
 * of empty lines or of the extensions of a chunk, and tells nobody of them: a server that sends those for ever would
 * keep a core busy, and the network, for the whole timeout. Also makes a head that is too large cheap.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

type Connector = ReturnType<typeof buildConnector>;

/** Recognised by its code. */
class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
  readonly code = 'ANSWER_TOO_LONG';
}

interface Watched {
  written: number;
  read: number;
}

/**
 * How often the connections are looked at. A listener for what each of them reads would be quicker to notice, but costs
 * every page some 4 of 33 µs of CPU. At 100 ms the table of misbehaving servers once took 151 MB; at 25 ms, 75 to 112.
 */
const LOOK_MS = 25;

/** A connector whose connections are cut once one answer has sent more than `maxBytes()`. */
export function boundedConnector(connect: Connector, maxBytes: () => number): Connector {
  const watched = new Map<Socket, Watched>();
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    for (const [socket, before] of watched) {
      const { bytesRead, bytesWritten } = socket;
      // A request was sent meanwhile (one at a time is), so that what was read need not belong to one answer.
      if (bytesWritten !== before.written) {
        before.written = bytesWritten;
        before.read = bytesRead;
      } else if (bytesRead - before.read > maxBytes()) {
        socket.destroy(new AnswerTooLongError('one answer sent too much'));
      }
    }
  };

  const watch = (socket: Socket) => {
    watched.set(socket, { written: socket.bytesWritten, read: socket.bytesRead });
    timer ??= setInterval(look, LOOK_MS).unref();
    socket.once('close', () => {
      watched.delete(socket);
      if (watched.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  };

  return (target, callback) => {
    connect(target, (...result) => {
      if (result[0] === null) {
        watch(result[1]);
        cheapenOverflow(result[1]);
      }
      callback(...result);
    });
  };
}

/**
 * undici (8.12) parses on to the end of what it has read after a head has become too large, and makes an error for each
 * further header, tens of thousands of them: 300 to 700 ms during which nobody else is served, nearly all of it spent on
 * stack traces. So there are none until the parser is done with that piece.
 */
function cheapenOverflow(socket: Socket): void {
  const { destroy } = socket;
  socket.destroy = (error) => {
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'UND_ERR_HEADERS_OVERFLOW') pauseStackTraces();
    return destroy.call(socket, error);
  };
}

let areStackTracesPaused = false;

function pauseStackTraces(): void {
  if (areStackTracesPaused) return;
  areStackTracesPaused = true;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  process.nextTick(() => {
    Error.stackTraceLimit = stackTraceLimit;
    areStackTracesPaused = false;
  });
}
