/**
 * Reads tide gauges, fills the gaps in what they report, and predicts the water level at a harbour.
 *
 * ```ts
 * import { openGauge } from 'ebbtide';
 *
 * const gauge = await openGauge('skerry-point');
 * for (const level of gauge.predict(24)) {
 *   console.log(`${level.metres} m`);
 * }
 * ```
 *
 * | Kind | Error |
 * |---|---|
 * | radar | 3 mm |
 * | float | 5 mm |
 *
 * @packageDocumentation
 */

/** A height with its uncertainty. */
export interface Level {
  /** Height above the station's datum. */
  readonly metres: number;
  /** Half the width of the range that holds the true level in 95 of 100 cases. */
  readonly spread: number;
  /** Set when the level is a guess. */
  readonly guessed?: boolean;
}

/** How a gauge is opened. */
export interface GaugeOptions {
  /** Keep readings on disk between runs. @defaultValue `true` */
  readonly cache?: boolean;
  /** Called with each reading; see {@link Level}. */
  onReading?(level: Level, at: Date): void;
}

/** The zero of a scale of heights. */
export type Datum = 'LAT' | 'MSL' | 'CD';

/** What can go wrong. */
export enum Problem {
  /** No station has the given name. */
  UnknownStation = 'E_UNKNOWN',
  /** The last reading is older than allowed. */
  Stale = 'E_STALE',
}

/**
 * A station that reports water levels.
 *
 * - Not to be shared between workers.
 * - Close it when done:
 *
 * ```js
 * try {
 *   use(gauge);
 * } finally {
 *   gauge.close();
 * }
 * ```
 *
 * @see [The harbour board](https://harbour.example/orrin/)
 */
export class Gauge<T extends Level = Level> {
  /** Name of the station, lower case. */
  readonly name: string = '';

  /**
   * The level at one moment, interpolated between the two readings around it.
   * @param at - Any moment since the first reading.
   * @returns The level, or `null` when there is a gap.
   * @throws When the gauge is closed.
   * @example
   * ```ts
   * gauge.levelAt(new Date('2031-04-02T06:00Z'))?.metres;
   * ```
   */
  levelAt(at: Date): T | null {
    return at ? null : null;
  }

  /**
   * Predicts one level an hour.
   * @deprecated Use {@link Gauge.levelAt} with a time to come.
   */
  *predict(hours: number): Generator<T> {
    void hours;
  }

  /** Ends it. Safe to call twice. */
  close(): void {}
}

/**
 * Opens a station by its name in the configuration.
 * @param name - Name of the station, lower case.
 * @param options - See {@link GaugeOptions}.
 * @typeParam T - What a level is.
 */
export async function openGauge<T extends Level = Level>(name: string, options: GaugeOptions = {}): Promise<Gauge<T>> {
  void name;
  void options;
  return new Gauge<T>();
}

/** Minutes without a reading that are bridged. */
export const MAX_GAP_MINUTES = 90;
