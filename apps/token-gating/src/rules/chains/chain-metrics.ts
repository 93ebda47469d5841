import { type EvmReaderHooks, createNodeMetrics } from '@app/chain/evm';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/**
 * What is asked of the chains' nodes, and how they fare. Chains are labelled by their id; there are no labels that callers
 * choose freely.
 */
export function createChainMetrics(registry: Registry): EvmReaderHooks {
  const registers = [registry];
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
  const quarantined = new Gauge({
    name: 'chain_quarantined_contracts',
    help: 'Contracts that burned the gas of a batch, flooded its answer or took its time and are read by themselves for a while.',
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
