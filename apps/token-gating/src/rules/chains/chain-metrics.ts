import { type EvmReaderHooks, createNodeMetrics } from '@app/chain/evm';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/**
 * Metrics of chain reads and RPC nodes. Labels hold no values that clients choose, only ids of configured chains.
 */
export function createChainMetrics(registry: Registry): EvmReaderHooks {
  const registers = [registry];
  const batchSize = new Histogram({
    name: 'chain_batch_reads',
    help: 'Distinct reads per batch, by lane (foreground, background, quarantine, scan, isolated).',
    labelNames: ['chain', 'lane'],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const batchSeconds = new Histogram({
    name: 'chain_batch_duration_seconds',
    help: 'Duration of a batch in seconds, including repeated reads.',
    labelNames: ['chain', 'lane'],
    registers,
  });
  const unanswered = new Counter({
    name: 'chain_unanswered_reads_total',
    help: 'Reads that failed because of a node.',
    labelNames: ['chain'],
    registers,
  });
  const cacheHits = new Counter({
    name: 'chain_cache_hits_total',
    help: 'Reads answered from the cache; no batch contains them.',
    labelNames: ['chain'],
    registers,
  });
  const quarantined = new Gauge({
    name: 'chain_quarantined_contracts',
    help: 'Contracts that are read in batches of their own for a while, because they used up the gas, the response size or the time of a batch.',
    labelNames: ['chain'],
    registers,
  });
  return {
    ...createNodeMetrics(registry),
    onBatch: ({ chainId, lane, reads, unanswered: missing, milliseconds }) => {
      const labels = { chain: chainId, lane };
      batchSize.observe(labels, reads);
      batchSeconds.observe(labels, milliseconds / 1000);
      if (missing > 0) unanswered.inc({ chain: chainId }, missing);
    },
    onCacheHits: ({ chainId, hits }) => {
      cacheHits.inc({ chain: chainId }, hits);
    },
    onQuarantine: ({ chainId, contracts }) => {
      quarantined.set({ chain: chainId }, contracts);
    },
  };
}
