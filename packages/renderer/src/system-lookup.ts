/** The system's resolver in the shape that sockets and the address guard want it. Caches nothing. */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

export const systemLookup: LookupFunction = (hostname, options, callback) => lookup(hostname, options, callback);
