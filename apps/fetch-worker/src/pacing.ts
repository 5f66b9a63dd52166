/**
 * When a session may start its next request: within its grant, and a delay after the actual start of the one before.
 * Checking and starting are one synchronous piece of the caller's code; nothing can freeze in between but the process itself.
 *
 * The start that counts is the one the host sees. It lies between the moment a request is sent, which may be long after it was
 * wanted where a connection has to be made first, and the head of the answer. A host that answers quickly gets at least its delay
 * by its own clock, to the fraction of a millisecond; one that answers slowly is taken to have noticed within 50 ms.
 */
const NOTICED_MS = 50;

export class Pacing {
  /** Requests may start until then. */
  grantEnds: number;
  nextStart: number;
  lastStart: number | null = null;
  readonly #delayMs: number;

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
    this.#count(Math.min(performance.now(), this.lastStart + Math.min(headMs ?? NOTICED_MS, NOTICED_MS)));
  }

  #count(start: number): void {
    this.lastStart = start;
    this.nextStart = start + this.#delayMs;
  }

  sinceLastStart(): number | null {
    return this.lastStart === null ? null : performance.now() - this.lastStart;
  }
}
