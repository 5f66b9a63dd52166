export { createGate, type GateOptions } from './gate.ts';
export { DEFAULT_GATE_SETTINGS, type GateSettings } from './settings.ts';
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
} from './types.ts';
