package org.ebbtide;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A station that reports water levels. A gauge is opened by its name and keeps its readings until it is closed:
 *
 * <pre>{@code
 * try (Gauge gauge = Gauge.open("skerry-point")) {
 *     gauge.levelAt(Instant.now())
 *          .ifPresent(level -> System.out.println(level.metres() + " m"));
 * }
 * }</pre>
 *
 * <h2>Datums</h2>
 * Levels are heights above a <dfn>datum</dfn>. Known are:
 * <ul>
 *   <li>{@code LAT}, the lowest astronomical tide</li>
 *   <li>{@code MSL}, mean sea level
 *     <ol><li>of the last year</li><li>of nineteen years</li></ol></li>
 * </ul>
 *
 * <table>
 *   <caption>Kinds of sensor</caption>
 *   <thead><tr><th rowspan="2">Kind</th><th colspan="2">Error</th></tr><tr><th>calm</th><th>storm</th></tr></thead>
 *   <tbody>
 *     <tr><th>radar</th><td>3 mm</td><td>20 mm</td></tr>
 *     <tr><th>float</th><td>5 mm</td><td>60 mm</td></tr>
 *   </tbody>
 * </table>
 *
 * <p>Not safe for use by several threads. See <a href="https://harbour.example/orrin/">the harbour board</a> for data.
 *
 * @since 2.0
 * @see Level
 * @see <a href="https://formats.example/tide-2">The format TIDE-2</a>
 */
public class Gauge implements AutoCloseable {
    /** The longest time between two readings that {@link #levelAt(Instant)} bridges: {@value} minutes. */
    public static final int MAX_GAP_MINUTES = 90;

    /** Name of the station, lower case. */
    protected final String name;

    /**
     * Makes a gauge that is not open yet.
     *
     * @param name name of the station, lower case
     */
    protected Gauge(String name) { this.name = name; }

    /**
     * Opens a station by its name in the configuration.
     *
     * @param name name of the station, lower case
     * @return the open gauge
     * @throws UnknownStationException if no station has that name
     */
    public static Gauge open(String name) throws UnknownStationException { return new Gauge(name); }

    /**
     * The level at one moment, interpolated between the two readings around it.
     * The weight of each is
     * <blockquote><pre>
     * w = 1 - |t - t0| / (t1 - t0)
     * </pre></blockquote>
     *
     * @param time any moment since the first reading
     * @return the level, or nothing when the gap is longer than {@link #MAX_GAP_MINUTES}
     */
    public Optional<Level> levelAt(Instant time) { return Optional.empty(); }

    /**
     * Predicts levels from the constituents of the last full year.
     *
     * @param <T> what each level is turned into
     * @param from the first moment
     * @param step time between two levels; not negative
     * @param count how many
     * @param shape turns a level into something else
     * @return as many as asked for
     * @deprecated use {@link Constituent} directly, which says how sure it is
     */
    @Deprecated(since = "4.1")
    public <T> List<? extends T> predict(Instant from, Duration step, int count, java.util.function.Function<? super Level, T> shape) { return List.of(); }

    @Override
    public void close() { }
}
