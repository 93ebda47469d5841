import { Counter, Gauge, type Registry } from 'prom-client';
import type { NodeState } from './node-health.js';
import type { NodeCallOutcome } from './rpc-node-error.js';

/** A finished HTTP request, for metrics. */
export interface NodeCallReport {
  readonly chainId: number;
  readonly method: string;
  readonly outcome: NodeCallOutcome;
}

/** A change of one node's state, for metrics. */
export interface NodeStateReport {
  readonly chainId: number;
  /** Index in the configured list of URLs, from 0; the URL itself may contain a key. */
  readonly node: number;
  readonly state: NodeState;
}

const NODE_STATES: readonly NodeState[] = [
  'up',
  'breaker_open',
  'wrong_chain',
  'stuck',
  'lagging',
  'rate_limited',
];

export interface NodeMetricsHooks {
  readonly onNodeCall: (call: NodeCallReport) => void;
  readonly onNodeState: (report: NodeStateReport) => void;
}

/**
 * Registers the metrics of chain nodes. Labels are the chain id and the node's index in the configured list, from 0, because
 * a URL may contain a key.
 */
export function createNodeMetrics(registry: Registry): NodeMetricsHooks {
  const registers = [registry];
  const calls = new Counter({
    name: 'chain_node_calls_total',
    help: 'HTTP requests to chain nodes, by method (eth_call, eth_chainId, eth_blockNumber) and outcome.',
    labelNames: ['chain', 'method', 'outcome'],
    registers,
  });
  const nodeState = new Gauge({
    name: 'chain_node_state',
    help: '1 for the current state of a chain node (up, breaker_open, wrong_chain, stuck, lagging or rate_limited), 0 for the others.',
    labelNames: ['chain', 'node', 'state'],
    registers,
  });
  return {
    onNodeCall: ({ chainId, method, outcome }) => {
      calls.inc({ chain: chainId, method, outcome });
    },
    onNodeState: ({ chainId, node, state }) => {
      for (const label of NODE_STATES)
        nodeState.set({ chain: chainId, node, state: label }, label === state ? 1 : 0);
    },
  };
}
