package org.ebbtide;

/** No station has the given name. Check {@code stations.yaml}, or ask {@linkplain Gauge#open(String) another name}. */
public class UnknownStationException extends Exception {
    private static final long serialVersionUID = 1;
    /**
     * Says which name was not known.
     * @param name the name
     */
    public UnknownStationException(String name) { super(name); }
}
