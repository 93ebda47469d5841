import type { EvmReaderHooks, NodeState } from '@app/chain/evm';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const NODE_STATES: readonly NodeState[] = [
  'up',
  'breaker_open',
  'wrong_chain',
  'stuck',
  'lagging',
  'rate_limited',
];

/**
 * What is asked of the chains' nodes, and how they fare. Chains are labelled by their id and nodes by their place in the
 * configured list, from 0; there are no labels that callers choose freely.
 */
export function chainMetrics(registry: Registry): EvmReaderHooks {
  const registers = [registry];
  const calls = new Counter({
    name: 'chain_node_calls_total',
    help: 'HTTP requests to nodes, by method (eth_call, eth_chainId, eth_blockNumber) and outcome.',
    labelNames: ['chain', 'method', 'outcome'],
    registers,
  });
  const batchSize = new Histogram({
    name: 'chain_batch_reads',
    help: 'Distinct reads that travelled in one batch, by lane (foreground, background, quarantine).',
    labelNames: ['chain', 'lane'],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const batchSeconds = new Histogram({
    name: 'chain_batch_duration_seconds',
    help: 'Time that one batch took, re-reads included.',
    labelNames: ['chain', 'lane'],
    registers,
  });
  const unanswered = new Counter({
    name: 'chain_unanswered_reads_total',
    help: 'Reads without an answer through a fault of a node.',
    labelNames: ['chain'],
    registers,
  });
  const cacheHits = new Counter({
    name: 'chain_cache_hits_total',
    help: 'Reads that were answered from memory; they are in no batch.',
    labelNames: ['chain'],
    registers,
  });
  const nodeState = new Gauge({
    name: 'chain_node_state',
    help: '1 for the state that a node is in: up, breaker_open, wrong_chain, stuck, lagging or rate_limited.',
    labelNames: ['chain', 'node', 'state'],
    registers,
  });
  const quarantined = new Gauge({
    name: 'chain_quarantined_contracts',
    help: 'Contracts that burned the gas of a batch, flooded its answer or took its time and are read by themselves for a while.',
    labelNames: ['chain'],
    registers,
  });
  return {
    onNodeCall: ({ chainId, method, outcome }) => {
      calls.inc({ chain: chainId, method, outcome });
    },
    onBatch: ({ chainId, lane, reads, unanswered: missing, milliseconds }) => {
      const labels = { chain: chainId, lane };
      batchSize.observe(labels, reads);
      batchSeconds.observe(labels, milliseconds / 1000);
      if (missing > 0) unanswered.inc({ chain: chainId }, missing);
    },
    onCacheHits: ({ chainId, hits }) => {
      cacheHits.inc({ chain: chainId }, hits);
    },
    onNodeState: ({ chainId, node, state }) => {
      for (const each of NODE_STATES)
        nodeState.set({ chain: chainId, node, state: each }, each === state ? 1 : 0);
    },
    onQuarantine: ({ chainId, contracts }) => {
      quarantined.set({ chain: chainId }, contracts);
    },
  };
}
