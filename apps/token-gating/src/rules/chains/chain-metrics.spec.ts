import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createChainMetrics } from './chain-metrics.js';

it('ChainMetrics: counts batches by lane, counts cache hits separately, and exports one state per node', async () => {
  const registry = new Registry();
  const metrics = createChainMetrics(registry);
  metrics.onBatch?.({ chainId: 1, lane: 'background', reads: 7, unanswered: 2, milliseconds: 5 });
  metrics.onCacheHits?.({ chainId: 1, hits: 3 });
  metrics.onNodeCall?.({ chainId: 1, method: 'eth_call', outcome: 'unavailable' });
  metrics.onNodeState?.({ chainId: 1, node: 0, state: 'up' });
  metrics.onNodeState?.({ chainId: 1, node: 0, state: 'breaker_open' });
  metrics.onQuarantine?.({ chainId: 1, contracts: 2 });
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'chain_batch_reads_sum{chain="1",lane="background"} 7',
      'chain_unanswered_reads_total{chain="1"} 2',
      'chain_cache_hits_total{chain="1"} 3',
      'chain_node_calls_total{chain="1",method="eth_call",outcome="unavailable"} 1',
      'chain_node_state{chain="1",node="0",state="up"} 0',
      'chain_node_state{chain="1",node="0",state="breaker_open"} 1',
      'chain_quarantined_contracts{chain="1"} 2',
    ]),
  );
});
