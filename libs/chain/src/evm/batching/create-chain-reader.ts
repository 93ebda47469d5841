import { LaneReader, type LaneReaderOptions } from '../../shared/lane-reader.js';
import { type ReadCall } from '../codec/contract-read.js';
import { type EthCallClient } from '../nodes/eth-call-client.js';
import { readBatch, readQuarantinedCall } from './read-batch.js';

export interface ChainReaderOptions extends Pick<
  LaneReaderOptions<ReadCall>,
  'foreground' | 'cacheTtlMs' | 'quarantineMs' | 'onBatch' | 'onCacheHits' | 'onQuarantine'
> {
  readonly ethCallClient: EthCallClient;
}

/** Creates the reader of one EVM chain. Quarantine isolates contracts. */
export function createChainReader({ ethCallClient, ...options }: ChainReaderOptions): LaneReader<ReadCall> {
  return new LaneReader<ReadCall>({
    ...options,
    toKey: ({ to, data, isLarge }) => (isLarge ? `${to}${data} large` : to + data),
    isScan: ({ isLarge }) => isLarge === true,
    toTarget: ({ to }) => to,
    readTogether: (pending, { onMisbehavior, ...hooks }) => {
      const reads = pending.map(({ call: { to, data }, waiter }) => ({ to, data, waiter }));
      return readBatch(reads, { ethCallClient, ...hooks, onMisbehavingContract: onMisbehavior });
    },
    readAlone: async ([pending], { onMisbehavior, ...hooks }) => {
      if (!pending) return;
      await readQuarantinedCall(pending.call, {
        ethCallClient,
        ...hooks,
        onMisbehavingContract: onMisbehavior,
      });
    },
  });
}
