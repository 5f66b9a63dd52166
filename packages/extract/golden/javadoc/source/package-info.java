/**
 * Reads tide gauges, fills the gaps in what they report, and predicts the water level at a harbour.
 *
 * <p>Start with {@link org.ebbtide.Gauge}.
 *
 * <dl>
 *   <dt>Spring tide</dt><dd>The larger tides around new and full moon.</dd>
 *   <dt>Neap tide</dt><dd>The smaller tides around the half moon.</dd>
 * </dl>
 */
package org.ebbtide;
