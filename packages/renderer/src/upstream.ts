/** Judges the proxy that a session wants its pages to go through. Does not dial it: the gate does, and checks again. */
import type { LookupFunction } from 'node:net';
import { guardedLookup, privateAddressProblem } from '@trawl/fetcher';
import { failure, type RenderFailure } from './render.ts';

/** Why it can't be used, or null. */
export async function upstreamProblem(proxyUrl: string, lookup: LookupFunction | null): Promise<RenderFailure | null> {
  const url = URL.parse(proxyUrl);
  // SOCKS is left out: proxy-chain dials those without our lookup, so that their address would go unchecked.
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return failure('RENDER_FAILED', "The session's proxy is not an http or https address.");
  if (lookup === null) return null;
  const problem = privateAddressProblem(url.href) ?? (await lookupProblem(url.hostname, lookup));
  return problem === null ? null : failure('PRIVATE_ADDRESS', `The session's proxy can't be used. ${problem}`);
}

function lookupProblem(hostname: string, lookup: LookupFunction): Promise<string | null> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve) => {
    guardedLookup(lookup)(host, { all: true }, (error) => {
      // A name that can't be resolved now is no breach; the gate's own attempt says so to the page.
      const isPrivate = error !== null && 'code' in error && error.code === 'PRIVATE_ADDRESS';
      resolve(isPrivate ? error.message : null);
    });
  });
}
