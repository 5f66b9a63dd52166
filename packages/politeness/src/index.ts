export { type BlockListener, listenForBlocks } from './blocks.ts';
export { createGate, type GateOptions } from './gate.ts';
export { productTokenOf } from './robots/product-token.ts';
export { MAX_ROBOTS_BYTES, type RobotsTxt } from './robots/robots-txt.ts';
export {
  type AskResult,
  createRobotsCache,
  type HostRobots,
  type RobotsAnswer,
  type RobotsCache,
} from './robots-cache.ts';
export { type Backoff, DEFAULT_GATE_SETTINGS, type GateSettings } from './settings.ts';
export type {
  Gate,
  GateReply,
  Grant,
  HostDescription,
  HostLimits,
  Outcome,
  Place,
  ReleaseRequest,
  Renewal,
  RenewRequest,
  ReserveRequest,
  Responses,
} from './types.ts';
