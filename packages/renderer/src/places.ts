/** A fixed number of places, given to those who wait in the order they came. Knows nothing of what is done there. */

export interface Places {
  /** The number of a free place. Rejects for the signal's reason, or when closed. */
  take(signal?: AbortSignal): Promise<number>;
  release(place: number): void;
  /** Turns away who waits; resolves when every place is free. */
  close(): Promise<void>;
}

export function createPlaces(count: number): Places {
  const free = Array.from({ length: count }, (_, place) => place);
  const waiting = new Set<{ give: (place: number) => void; refuse: (reason: unknown) => void }>();
  let isClosed = false;
  const { promise: allFree, resolve: onAllFree } = Promise.withResolvers<void>();
  const closedError = (): Error => new Error('the renderer is closed');

  return {
    async take(signal) {
      if (isClosed) throw closedError();
      signal?.throwIfAborted();
      const place = free.shift();
      if (place !== undefined) return place;
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const waiter = { give: resolve, refuse: reject };
      const onAbort = (): void => {
        waiting.delete(waiter);
        reject(signal?.reason);
      };
      waiting.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        return await promise;
      } finally {
        signal?.removeEventListener('abort', onAbort);
      }
    },

    release(place) {
      const [next] = waiting;
      if (next !== undefined) {
        waiting.delete(next);
        next.give(place);
        return;
      }
      free.push(place);
      if (isClosed && free.length === count) onAllFree();
    },

    close() {
      isClosed = true;
      for (const { refuse } of waiting) refuse(closedError());
      waiting.clear();
      if (free.length === count) onAllFree();
      return allFree;
    },
  };
}
