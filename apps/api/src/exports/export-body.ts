/** An export as the body of an answer: made as fast as it is read, stopped when the reader leaves, and never ended cleanly when it failed. */

export interface ExportBodyOptions {
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  /** Of a failure, or of a stop. A reader that left is none. */
  readonly onFailure: (error: unknown) => void;
}

export function exportBody(
  pieces: AsyncGenerator<Uint8Array, void, undefined>,
  options: ExportBodyOptions,
): ReadableStream<Uint8Array> {
  let hasReader = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          options.stopping.throwIfAborted();
          const { done, value } = await pieces.next();
          if (!hasReader) return;
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          if (!hasReader) return;
          options.onFailure(error);
          // The status line is long gone: breaking the connection is all that is left to say that this is not all of it.
          controller.error(new Error('the export broke off; the log says why'));
          await pieces.return();
        }
      },
      async cancel() {
        hasReader = false;
        await pieces.return();
      },
    },
    // Nothing is made before it is asked for, so a failure is always that of a read, which the server answers by breaking the connection.
    { highWaterMark: 0 },
  );
}
