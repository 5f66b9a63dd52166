/**
 * A host has a frontier for each kind of worker, its lanes: `example.com` for fetch workers, `example.com#render` for those with a
 * browser. Sessions are of a lane; politeness is counted by host, over both. As `run.lua` has it.
 */
import type { RunId } from '@trawl/contracts';

const RENDER = '#render';

export const isRenderLane = (lane: string): boolean => lane.endsWith(RENDER);
export const hostOfLane = (lane: string): string => (isRenderLane(lane) ? lane.slice(0, -RENDER.length) : lane);

/** Under which a lane stands in line at its host's gate: a run may stand there twice. */
export const placeOf = (runId: RunId, lane: string): string => (isRenderLane(lane) ? `${runId}${RENDER}` : runId);

export function runAndLaneOf(place: string, host: string): { runId: RunId; lane: string } {
  return isRenderLane(place)
    ? { runId: hostOfLane(place) as RunId, lane: `${host}${RENDER}` }
    : { runId: place as RunId, lane: host };
}
