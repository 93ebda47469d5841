import { type NodeFailureKind } from './node-failure.js';
import { type NodeState } from './node-health.js';

/** One finished HTTP request, for metrics. */
export interface NodeCall {
  readonly chainId: number;
  readonly method: string;
  readonly outcome: 'answered' | NodeFailureKind;
}

/** How a node fares, for metrics. */
export interface NodeStateReport {
  readonly chainId: number;
  /** Its place in the configured list, from 0: its URL may hold a key. */
  readonly node: number;
  readonly state: NodeState;
}
