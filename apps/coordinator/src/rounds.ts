/** One round after the other, a tick apart; a round that fails is said and does not end them. */
import type { Logger } from '@trawl/runtime';

export interface Rounds {
  stop(): Promise<void>;
}

export function startRounds(round: () => Promise<void>, tickMs: number, logger: Logger): Rounds {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let under: Promise<void> = Promise.resolve();
  const next = (): void => {
    under = round()
      .catch((error) => logger.error({ err: error }, 'round failed; the next one tries again'))
      .then(() => {
        if (!stopped) timer = setTimeout(next, tickMs);
      });
  };
  next();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await under;
    },
  };
}
