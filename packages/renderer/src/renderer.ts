/**
 * Renders pages in one Chromium that they share, so many at a time. Wires places, gates and browsers; what happens to
 * one page is in visit.ts. Fetches no page, follows no redirect, retries nothing, keeps to no robots.txt.
 */
import type { LookupFunction } from 'node:net';
import { createBrowserSupply, type SupplyFacts } from './browser-supply.ts';
import { type Gate, openGate } from './gate.ts';
import { createPlaces } from './places.ts';
import { failure, type RenderOutcome, type RenderReply, type RenderRequest } from './render.ts';
import { systemLookup } from './system-lookup.ts';
import { upstreamProblem } from './upstream.ts';
import { visit } from './visit.ts';

export interface RendererOptions {
  readonly executablePath: string;
  /** Chromium's own. Root can't have it, nor most containers, which are a fence themselves. Default: unless we are root. */
  readonly sandbox?: boolean;
  /** Renders at a time. */
  readonly pages: number;
  /** Dial any address, not only global unicast ones. */
  readonly allowPrivateNetworks: boolean;
  /** Resolves host names. Default: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** All that one render may transfer, both ways, the document not included. Default 64 MiB. */
  readonly maxTransferBytes?: number;
  /** When a browser is replaced; 0 MB means never for its memory. Default 500 pages, 30 minutes, 1500 MB. */
  readonly recycle?: { readonly pages?: number; readonly ageMs?: number; readonly memoryMb?: number };
  /** A page whose process holds more is ended. Default 1024; 0 means never. */
  readonly pageMemoryMb?: number;
  /** A browser without work ends after this. Default 120,000. */
  readonly idleCloseMs?: number;
  /** Of what concerns the browser rather than one page: it crashed, was replaced, could not be started. */
  readonly onNotice?: (sentence: string, context: Record<string, unknown>) => void;
}

export interface RendererFacts extends SupplyFacts {
  /** Renders that got a browser, since the start. */
  readonly pages: number;
  readonly open: number;
}

export interface Renderer {
  /** Waits for a place. Rejects only for the caller's own signal, or when closed. */
  render(request: RenderRequest): Promise<RenderReply>;
  /** False from a start of the browser that failed to one that did not: until then renders are refused as `RENDER_UNAVAILABLE`. */
  isAble(): boolean;
  /** Starts a browser if there is none and it is time to try again. True: there is one. */
  probe(): Promise<boolean>;
  facts(): RendererFacts;
  /** Waits for the renders under way, then ends the browser and removes its directory. */
  close(): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

export function createRenderer(options: RendererOptions): Renderer {
  const lookup = options.lookup ?? systemLookup;
  const places = createPlaces(options.pages);
  const gates = new Map<number, Gate>();
  const supply = createBrowserSupply({
    program: { executablePath: options.executablePath, sandbox: options.sandbox ?? process.getuid?.() !== 0 },
    recycle: { pages: 500, ageMs: 30 * 60_000, memoryMb: 1500, ...options.recycle },
    pageMemoryMb: options.pageMemoryMb ?? 1024,
    idleCloseMs: options.idleCloseMs ?? 120_000,
    onNotice: options.onNotice ?? (() => {}),
  });
  let pages = 0;
  let open = 0;
  let closing: Promise<void> | null = null;

  async function gateAt(place: number): Promise<Gate> {
    const known = gates.get(place);
    if (known !== undefined) return known;
    const gate = await openGate({
      allowPrivateNetworks: options.allowPrivateNetworks,
      lookup,
      maxTransferBytes: options.maxTransferBytes ?? 64 * MEBIBYTE,
    });
    gates.set(place, gate);
    return gate;
  }

  async function renderAt(place: number, request: RenderRequest): Promise<RenderOutcome> {
    const upstreamProxyUrl = request.access?.proxy ?? null;
    if (upstreamProxyUrl !== null) {
      const problem = await upstreamProblem(upstreamProxyUrl, options.allowPrivateNetworks ? null : lookup);
      if (problem !== null) return problem;
    }
    const gate = await gateAt(place);
    const lease = await supply.take(request.signal).catch((error: unknown) => {
      request.signal?.throwIfAborted();
      return failure('RENDER_UNAVAILABLE', error instanceof Error ? error.message : String(error));
    });
    if ('kind' in lease) return lease;
    pages += 1;
    try {
      return await visit(request, {
        lease,
        gatePort: gate.port,
        openPassage: (onOverrun) => gate.open({ upstreamProxyUrl, onOverrun }),
        // The next page at this place is to have a port that this one does not know.
        onLeftOpen: () => {
          gates.delete(place);
          void gate.close();
        },
      });
    } finally {
      lease.release();
    }
  }

  return {
    async render(request) {
      const place = await places.take(request.signal);
      const startedAt = performance.now();
      open += 1;
      try {
        const outcome = await renderAt(place, request);
        return { ...outcome, elapsedMs: performance.now() - startedAt };
      } finally {
        open -= 1;
        places.release(place);
      }
    },

    isAble: () => supply.isAble(),
    probe: () => supply.probe(),
    facts: () => ({ ...supply.facts(), pages, open }),

    close() {
      closing ??= (async () => {
        await places.close();
        await supply.close();
        await Promise.all([...gates.values()].map((gate) => gate.close()));
      })();
      return closing;
    },
  };
}
