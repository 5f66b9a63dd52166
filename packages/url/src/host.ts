/** Names of machines: what identity and politeness make of a hostname. Knows nothing of scope (see scope.ts). */

/**
 * What politeness is counted by: the machine behind a URL, as far as a name can tell. The port and a leading `www.` do
 * not make another machine, so they never buy a second allowance. Throws a TypeError for what is not an absolute URL.
 */
export function hostKey(url: string): string {
  return machineName(new URL(url).hostname);
}

/** `hostKey` of an already parsed hostname. */
export function machineName(hostname: string): string {
  return withoutWww(withoutRootDot(hostname));
}

/** `example.com.` names the same host as `example.com`. More than one dot is no valid name and left as it is. */
export function withoutRootDot(hostname: string): string {
  return hostname.length > 1 && hostname.endsWith('.') && !hostname.endsWith('..') ? hostname.slice(0, -1) : hostname;
}

/**
 * Drops `www.` where a name of at least two labels remains: `www.com` is a domain of its own.
 * Repeats, because dropping must be idempotent and `www.www.example.com` exists.
 */
export function withoutWww(hostname: string): string {
  let name = hostname;
  while (name.startsWith('www.') && name.charCodeAt(4) !== 46 && name.includes('.', 5)) name = name.slice(4);
  return name;
}
