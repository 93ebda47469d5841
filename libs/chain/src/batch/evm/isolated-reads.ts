import { boundEntries } from '@app/common';
import { Bulkhead } from '@app/limits';
import { LRUCache } from 'lru-cache';
import type { EthCallClient } from '../../call/evm/eth-call-client.js';
import type { ReadCall } from '../../reads/evm/contract-read.js';
import { type ReadBatch, ReadBatcher, type ReadBatcherOptions } from '../read-batcher.js';
import { groupBy } from '../split-reads.js';
import { isEvidenceOfFunction, readAlone, readBatch } from './read-batch.js';

/**
 * Calls to nodes at once, of all tenants. One tenant has at most as many as it leaves to the others (6, the next one 3), so that
 * functions which take all the time of a call never take every place. Their sockets are their own, as many as there are calls.
 */
const MAX_CALLS = 12;
/**
 * The tenants whose functions were read least recently are forgotten beyond this, with their quarantine, which protects nobody but
 * themselves. A tenant takes 11 KB.
 */
const MAX_TENANTS = 200;

/** A result of one read that is longer is not downloaded; an array of 2,046 elements fits. */
const MAX_SINGLE_RESULT_BYTES = 65_536;
/** Room for each read of a batch. A batch with longer results is split. */
const RESULT_BYTES_PER_READ = 1_024;

interface IsolatedReadsOptions extends Pick<
  ReadBatcherOptions<ReadCall>,
  'foreground' | 'quarantineMs' | 'onBatch'
> {
  readonly ethCallClient: EthCallClient;
}

/** A function of a contract: its address and selector. */
const toFunction = ({ to, data }: ReadCall): string => to + data.slice(0, 8);

/**
 * Reads functions that rules chose, on one chain. Each tenant has lanes, batches and a quarantine of its own, and each request to a node
 * calls one function of one contract: what a function does to its request is done to nothing else, and says nothing about the contract
 * to rules of other types. Tenants share the node, and the MAX_CALLS in which they take turns. Results are not kept: a cache for each tenant
 * would be 20 MB.
 */
export class IsolatedReads {
  private readonly calls = new Bulkhead({
    max: MAX_CALLS,
    maxPerKey: (free) => free,
    // The lanes bound what waits: a batch at a time in each place of a lane.
    maxWaitingPerKey: Infinity,
  });
  private readonly byTenant = new LRUCache<string, ReadBatcher<ReadCall>>({
    ...boundEntries(MAX_TENANTS),
    dispose: (batcher) => {
      batcher.close();
    },
  });

  constructor(private readonly options: IsolatedReadsOptions) {}

  /** The reads of a tenant. Whoever holds them goes on reading after they were forgotten here. */
  of(tenantId: string): ReadBatcher<ReadCall> {
    let batcher = this.byTenant.get(tenantId);
    if (!batcher) this.byTenant.set(tenantId, (batcher = this.create(tenantId)));
    return batcher;
  }

  close(): void {
    this.byTenant.clear();
  }

  private create(tenantId: string): ReadBatcher<ReadCall> {
    const { ethCallClient, ...options } = this.options;
    const client = this.limitCalls(ethCallClient, tenantId);
    return new ReadBatcher<ReadCall>({
      ...options,
      cacheTtlMs: 0,
      // All reads of a tenant wait for nobody but the tenant, within the time of their check.
      maxWaitingInQuarantine: Infinity,
      toKey: ({ to, data }) => to + data,
      toTarget: toFunction,
      isScan: () => false,
      readTogether: async (batch) => {
        await Promise.all(
          groupBy(batch.reads, ({ call }) => toFunction(call)).map(ofFunction(batch, client)),
        );
      },
      readAlone: (batch) => readAlone(toBatchOfFunction(batch, batch.reads), client, isEvidenceOfFunction),
      onCacheHits: () => undefined,
      onQuarantine: () => undefined,
    });
  }

  /** The client with a place among the calls of all tenants for each call. Aborted calls end as soon as they have one. */
  private limitCalls(client: EthCallClient, tenantId: string): EthCallClient {
    const { calls } = this;
    return {
      aggregate: (reads, signal, options) =>
        calls.run(tenantId, () => client.aggregate(reads, signal, { ...options, isIsolated: true })),
      call: (read, signal, options) =>
        calls.run(tenantId, () => client.call(read, signal, { ...options, isIsolated: true })),
      runInitCode: (code, signal, options) =>
        calls.run(tenantId, () => client.runInitCode(code, signal, { ...options, isIsolated: true })),
      hasGasSentinel: (signal) => client.hasGasSentinel(signal),
    };
  }
}

const toMaxResultBytes = (reads: number): number => MAX_SINGLE_RESULT_BYTES + reads * RESULT_BYTES_PER_READ;

const ofFunction =
  (batch: ReadBatch<ReadCall>, client: EthCallClient) =>
  (reads: ReadBatch<ReadCall>['reads']): Promise<void> =>
    readBatch(toBatchOfFunction(batch, reads), client, { toMaxResultBytes });

/** A batch whose reads call one function, which is quarantined instead of its contract. */
const toBatchOfFunction = (
  batch: ReadBatch<ReadCall>,
  reads: ReadBatch<ReadCall>['reads'],
): ReadBatch<ReadCall> => ({
  ...batch,
  reads,
  quarantine: () => {
    const [first] = reads;
    if (first) batch.quarantine(toFunction(first.call));
  },
});
