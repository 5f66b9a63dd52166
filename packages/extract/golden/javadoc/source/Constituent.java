package org.ebbtide;

/** One of the waves a tide is made of. Each has an amplitude and a phase. */
public enum Constituent {
    /** The moon's main wave, twice a day. */
    M2,
    /** The sun's main wave, twice a day. */
    S2,
    /** Sun and moon together, once a day. */
    K1;

    /**
     * Degrees per hour.
     * @return the speed
     */
    public double speed() { return 28.984; }
}
