/** Names of a host's keys. The only place that knows them; the braces put all keys of a host into one cluster slot. */

/** As `KEYS` of the scripts: state, slots, line, asked (see `lua/host.lua`). */
export type GateKeys = readonly [state: string, slots: string, line: string, asked: string];

/** `host` as in a URL: lower case, with its port where that is not the default one. */
export function gateKeys(prefix: string, host: string): GateKeys {
  const base = `${prefix}host:{${host}}:`;
  return [`${base}state`, `${base}slots`, `${base}line`, `${base}asked`];
}

/** What is known of the robots.txt of a host's origins, and their texts: in the same cluster slot as its gate. */
export function robotsKeys(prefix: string, host: string): readonly [robots: string, texts: string] {
  const base = `${prefix}host:{${host}}:`;
  return [`${base}robots`, `${base}robots-text`];
}
