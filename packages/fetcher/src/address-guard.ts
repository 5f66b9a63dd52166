/**
 * Which addresses the crawler may dial: global unicast only, so that a page on the web can't make it read the machine
 * it runs on, its neighbours or a cloud's metadata service. The check sits where a connection is made, on the very
 * addresses the socket gets: a name that resolves differently a moment later changes nothing.
 * Not responsible for scope or robots.txt, and not used at all when private networks are allowed.
 */
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

type Connector = ReturnType<typeof buildConnector>;

/** Special-purpose IPv4 blocks (IANA registry), all refused even where a corner of one is reachable. */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // this network; 0.0.0.0 itself reaches the local host on Linux
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT, and some clouds' metadata
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // global by the registry, but inside Azure it is the host agent of the virtual machine
  ['169.254.0.0', 16], // link-local, most clouds' metadata
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24], // 6to4 relays, retired
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Within 2000::/3, the only block that IPv6 global unicast is given from. */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // protocol assignments, Teredo (which carries IPv4 addresses) among them
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4: leads to any IPv4 address, and is retired
  ['3fff::', 20],
];

const special = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, 'ipv6');
const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');

/** May this IP address be dialled? False for anything that is not an IP address. */
export function isGlobalAddress(ip: string): boolean {
  if (isIPv4(ip)) return !special.check(ip, 'ipv4');
  // A zone (`%eth0`) only makes sense on a local link.
  if (isIP(ip) !== 6 || ip.includes('%')) return false;
  const embedded = embeddedIpv4(ip);
  if (embedded !== null) return isGlobalAddress(embedded);
  return globalIpv6.check(ip, 'ipv6') && !special.check(ip, 'ipv6');
}

/** Why a URL can't be crawled by the look of its host alone (before any lookup), as a sentence, or null. */
export function privateAddressProblem(url: string): string | null {
  // The URL parser knows every spelling of an address (decimal, octal, hexadecimal, short, full-width) and yields one.
  return URL.canParse(url) ? hostProblem(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')) : null;
}

/** Carries the sentence through undici to the reply; recognised by its code. */
class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
  readonly code = 'PRIVATE_ADDRESS';
}

/** A connector that dials global addresses only. `lookup` resolves names; what it yields is checked, then dialled. */
export function guardedConnector(options: buildConnector.BuildOptions, lookup: LookupFunction): Connector {
  const dial = buildConnector({ ...options, lookup: guardedLookup(lookup) });
  return (target, callback) => {
    // A socket asks `lookup` about names only, so an address in the URL is judged here.
    const problem = hostProblem(target.hostname);
    if (problem === null) dial(target, callback);
    else callback(new PrivateAddressError(problem), null);
  };
}

/** Why what a name resolves to here is no address to reach, as a sentence, or null: also where it can't be resolved. Of an address, the same. */
export function resolvedAddressProblem(hostname: string, lookup: LookupFunction): Promise<string | null> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const problem = hostProblem(host);
  if (problem !== null || isIP(host) !== 0) return Promise.resolve(problem);
  return new Promise((resolve) => {
    guardedLookup(lookup)(host, { all: true }, (error) => {
      resolve(error !== null && 'code' in error && error.code === 'PRIVATE_ADDRESS' ? error.message : null);
    });
  });
}

/** Resolves once, and answers with the global addresses among what came back. */
export function guardedLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error) return callback(error, '', 0);
      // A lookup may ignore `all` and yield a single address.
      const addresses = typeof found === 'string' ? [{ address: found, family: family ?? isIP(found) }] : found;
      const dialable = addresses.filter(({ address }) => isGlobalAddress(address));
      const [first] = dialable;
      if (first === undefined) {
        const shown = addresses.map(({ address }) => address).join(', ') || 'no address';
        return callback(new PrivateAddressError(refusal(`The host ${hostname} resolves to ${shown}, which is`)), '', 0);
      }
      if (options.all) callback(null, dialable);
      else callback(null, first.address, first.family);
    });
  };
}

function hostProblem(hostname: string): string | null {
  const host = hostname.toLowerCase().replace(/\.+$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return refusal(`The host ${host} is`);
  if (isIP(host) !== 0 && !isGlobalAddress(host)) return refusal(`The address ${host} is`);
  return null;
}

const refusal = (subject: string): string =>
  `${subject} not on the public internet; ALLOW_PRIVATE_NETWORKS=true allows it.`;

/** The IPv4 address that an IPv4-mapped (::ffff:0:0/96) or NAT64 (64:ff9b::/96) address stands for, or null. */
function embeddedIpv4(ip: string): string | null {
  // The URL parser compresses and lowercases, so either prefix has exactly one spelling, and the rest is two groups.
  const canonical = new URL(`http://[${ip}]/`).hostname.slice(1, -1);
  const groups = /^(?:::ffff|64:ff9b:):(.*)$/.exec(canonical)?.[1]?.split(':');
  if (groups === undefined || groups.length > 2) return null;
  const [low, high] = groups.reverse().map((group) => Number.parseInt(group || '0', 16));
  const bits = (high ?? 0) * 0x10000 + (low ?? 0);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}
