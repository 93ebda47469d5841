import type { BatchReport, NodeCall } from '@app/chain/evm';
import { Counter, Histogram, type Registry } from 'prom-client';

/** What is asked of the chains' nodes. Chains are labelled by their id; there are no labels that callers choose freely. */
export class ChainMetrics {
  private readonly calls: Counter<'chain' | 'method' | 'outcome'>;
  private readonly batchSize: Histogram<'chain'>;
  private readonly batchSeconds: Histogram<'chain'>;
  private readonly unanswered: Counter<'chain'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const labelNames = ['chain'] as const;
    this.calls = new Counter({
      name: 'chain_node_calls_total',
      help: 'HTTP requests to nodes, by method (eth_call, eth_chainId) and outcome.',
      labelNames: ['chain', 'method', 'outcome'],
      registers,
    });
    this.batchSize = new Histogram({
      name: 'chain_batch_reads',
      help: 'Distinct reads that travelled in one batch.',
      labelNames,
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
      registers,
    });
    this.batchSeconds = new Histogram({
      name: 'chain_batch_duration_seconds',
      help: 'Time that one batch took, re-reads included.',
      labelNames,
      registers,
    });
    this.unanswered = new Counter({
      name: 'chain_unanswered_reads_total',
      help: 'Reads without an answer through a fault of a node.',
      labelNames,
      registers,
    });
  }

  observeCall({ chainId, method, outcome }: NodeCall): void {
    this.calls.inc({ chain: chainId, method, outcome });
  }

  observeBatch({ chainId, reads, unanswered, milliseconds }: BatchReport): void {
    const labels = { chain: chainId };
    this.batchSize.observe(labels, reads);
    this.batchSeconds.observe(labels, milliseconds / 1000);
    if (unanswered > 0) this.unanswered.inc(labels, unanswered);
  }
}
