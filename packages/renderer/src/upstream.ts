/** Judges the proxy that an access wants its pages to go through. Does not dial it: the gate does, and checks again. */
import type { LookupFunction } from 'node:net';
import { resolvedAddressProblem } from '@trawl/fetcher';
import { failure, type RenderFailure } from './render.ts';

/** Why it can't be used, or null. `lookup` is null where any address will do. */
export async function upstreamProblem(proxy: string, lookup: LookupFunction | null): Promise<RenderFailure | null> {
  const url = URL.parse(proxy);
  // SOCKS is left out: proxy-chain dials those without our lookup, so that their address would go unchecked.
  if (url === null || !/^https?:$/.test(url.protocol))
    return failure('PROXY_FAILED', 'The proxy of the source is not an http or https address.');
  const problem = lookup === null ? null : await resolvedAddressProblem(url.hostname, lookup);
  return problem === null ? null : failure('PROXY_FAILED', `The proxy of the source can't be used. ${problem}`);
}
