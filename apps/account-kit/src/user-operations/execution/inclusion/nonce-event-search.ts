import { HOUR_MS, SECOND_MS } from '@app/common';
import { LRUCache } from 'lru-cache';
import { type Address, formatLog, type Hex, type PublicClient, type RpcLog } from 'viem';
import { encodeEventTopics, parseEventLogs } from 'viem/utils';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../../../evm/accounts/account-contracts.js';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';
import { USER_OPERATION_EVENT } from '../../../evm/operations/parse-user-operation-events.js';
import { packNonce } from '../../../evm/operations/user-operation.js';
import type { EventLogReader, SearchBudget } from './event-log-reader.js';
import type { InclusionEvent } from './to-inclusion-record.js';

/** Clocks of chains differ from ours. */
const CLOCK_MARGIN_MS = HOUR_MS;
/** The age of a block is asked once for so many blocks. */
const AGE_CHECK_BLOCKS = 1_000n;
/** The searches that run at once: more than a chain has operations whose nonce is used by an unknown operation. */
const MAX_SEARCHES = 10_000;

interface NonceUse {
  readonly id: string;
  readonly version: AccountVersion;
  readonly sender: Address;
  readonly nonceKey: bigint;
  readonly nonceSequence: bigint;
  readonly acceptedAt: Date;
}

interface Progress {
  /** Blocks above this one have been searched. */
  readonly toBlock: bigint;
  /** The last block whose age was asked. */
  readonly agedBlock: bigint;
}

interface NonceEvent extends InclusionEvent {
  readonly hash: Hex;
}

/**
 * Searches for the operation that used a nonce, by the sender and the nonce in its event: what is found decides, whether it is the
 * expected operation or another. Turns are bounded, and the next one goes on where the last one ended.
 */
export class NonceEventSearch {
  private readonly progress = new LRUCache<string, Progress>({ max: MAX_SEARCHES });

  constructor(private readonly reader: EventLogReader) {}

  /**
   * @param newest the block at which the nonce is used
   * @returns `incomplete` when there are more blocks to search, undefined when no block since the acceptance has the event, which decides nothing
   */
  async find(
    { client }: ChainNode,
    use: NonceUse,
    newest: bigint,
    budget: SearchBudget,
  ): Promise<NonceEvent | undefined | 'incomplete'> {
    const since = BigInt(Math.floor((use.acceptedAt.getTime() - CLOCK_MARGIN_MS) / SECOND_MS));
    let { toBlock, agedBlock } = this.progress.get(use.id) ?? { toBlock: newest, agedBlock: newest };
    while (!budget.isSpent) {
      const span = { fromBlock: 0n, toBlock };
      const { logs, fromBlock } = await this.reader.read(client, toFilter(use), span, {
        budget,
        backwards: true,
      });
      const found = findEvent(logs, use);
      if (found) {
        this.progress.delete(use.id);
        const { args, transactionHash, blockNumber, blockHash } = found;
        return { ...args, hash: args.userOpHash, transactionHash, blockNumber, blockHash };
      }
      const isAgeDue = agedBlock - fromBlock >= AGE_CHECK_BLOCKS || agedBlock === newest;
      if (
        fromBlock === 0n ||
        (isAgeDue && (await client.getBlock({ blockNumber: fromBlock })).timestamp < since)
      ) {
        this.progress.delete(use.id);
        return undefined;
      }
      if (isAgeDue) agedBlock = fromBlock;
      toBlock = fromBlock - 1n;
      this.progress.set(use.id, { toBlock, agedBlock });
    }
    return 'incomplete';
  }

  /** Whether a node has an event that another one has found. */
  async hasEvent(client: PublicClient, use: NonceUse, { blockHash, hash }: NonceEvent): Promise<boolean> {
    const { address, topics } = toFilter(use);
    const logs = await client.request({
      method: 'eth_getLogs',
      params: [{ address, topics: topics as Hex[], blockHash }],
    });
    return findEvent(logs, use)?.args.userOpHash === hash;
  }
}

const findEvent = (logs: readonly RpcLog[], { nonceKey, nonceSequence }: NonceUse) =>
  parseEventLogs({ abi: [USER_OPERATION_EVENT], logs: logs.map((log) => formatLog(log)) }).find(
    ({ args }) => args.nonce === packNonce({ key: nonceKey, sequence: nonceSequence }),
  );

function toFilter({ version, sender }: NonceUse) {
  return {
    address: ACCOUNT_CONTRACTS[version].entryPoint,
    topics: encodeEventTopics({ abi: [USER_OPERATION_EVENT], args: { sender } }),
  };
}
