import { Counter, Gauge, type Registry } from 'prom-client';
import type { NodeState } from './node-health-monitor.js';
import { type RpcNodeErrorKind } from './rpc-node-error.js';

/** One finished HTTP request, for metrics. */
export interface NodeCallReport {
  readonly chainId: number;
  readonly method: string;
  readonly outcome: 'answered' | RpcNodeErrorKind;
}

/** How a node fares, for metrics. */
export interface NodeStateReport {
  readonly chainId: number;
  /** Its place in the configured list, from 0: its URL may hold a key. */
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
 * How the nodes of the chains fare. Chains are labelled by their id and nodes by their place in the configured list, from 0:
 * a URL may hold a key.
 */
export function createNodeMetrics(registry: Registry): NodeMetricsHooks {
  const registers = [registry];
  const calls = new Counter({
    name: 'chain_node_calls_total',
    help: 'HTTP requests to nodes, by method (eth_call, eth_chainId, eth_blockNumber) and outcome.',
    labelNames: ['chain', 'method', 'outcome'],
    registers,
  });
  const nodeState = new Gauge({
    name: 'chain_node_state',
    help: '1 for the state that a node is in: up, breaker_open, wrong_chain, stuck, lagging or rate_limited.',
    labelNames: ['chain', 'node', 'state'],
    registers,
  });
  return {
    onNodeCall: ({ chainId, method, outcome }) => {
      calls.inc({ chain: chainId, method, outcome });
    },
    onNodeState: ({ chainId, node, state }) => {
      for (const each of NODE_STATES)
        nodeState.set({ chain: chainId, node, state: each }, each === state ? 1 : 0);
    },
  };
}
