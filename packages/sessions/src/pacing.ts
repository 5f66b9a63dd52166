/**
 * When a session may start its next request: within its grant, and a delay after the actual start of the one before.
 * Checking and starting are one synchronous piece of the caller's code; nothing can freeze in between but the process itself.
 *
 * The start that counts is the one the host sees. It lies between the moment a request is sent, which may be long after it was
 * wanted where a connection has to be made first, and the head of the answer. What an answer took longer than the quickest one
 * before may all have been the way there (a busy machine at either end); of the quickest at most 50 ms are taken for it. Before there
 * is one to compare with, up to 250 ms are. So a host gets at least its delay by its own clock, and a slow one is not slowed further.
 */
const NOTICED_MS = 50;
const FIRST_NOTICED_MS = 250;

export class Pacing {
  /** Requests may start until then. */
  grantEnds: number;
  nextStart: number;
  lastStart: number | null = null;
  readonly #delayMs: number;
  #quickestMs: number | null = null;

  constructor(o: { grantEnds: number; nextStart: number; delayMs: number }) {
    this.grantEnds = o.grantEnds;
    this.nextStart = o.nextStart;
    this.#delayMs = o.delayMs;
  }

  mayStart(now: number): boolean {
    return now <= this.grantEnds && now >= this.nextStart;
  }

  /** A request is started, and again: it is really sent. */
  started = (): void => this.#count(performance.now());

  /** It was answered so long after it was sent; null: never. With a delay there is only one at a time. */
  answered(headMs: number | null): void {
    if (this.#delayMs === 0 || this.lastStart === null) return;
    this.#count(Math.min(performance.now(), this.lastStart + this.#onTheWay(headMs)));
    if (headMs !== null) this.#quickestMs = Math.min(headMs, this.#quickestMs ?? headMs);
  }

  /** The longest it can have been under way before the host noticed it. */
  #onTheWay(headMs: number | null): number {
    if (headMs === null || this.#quickestMs === null) return Math.min(headMs ?? FIRST_NOTICED_MS, FIRST_NOTICED_MS);
    return Math.max(0, headMs - this.#quickestMs) + Math.min(headMs, this.#quickestMs, NOTICED_MS);
  }

  #count(start: number): void {
    this.lastStart = start;
    this.nextStart = start + this.#delayMs;
  }

  /** Waits until the next request may start. False: whoever waits has to stop. */
  async turn(isOver: () => boolean): Promise<boolean> {
    while (!isOver()) {
      const now = performance.now();
      if (this.mayStart(now)) return true;
      const waitMs = Math.max(this.nextStart - now, now > this.grantEnds ? 20 : 1);
      await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, 200)));
    }
    return false;
  }

  sinceLastStart(): number | null {
    return this.lastStart === null ? null : performance.now() - this.lastStart;
  }
}
