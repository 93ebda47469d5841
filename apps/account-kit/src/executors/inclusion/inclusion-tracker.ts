import { formatLog, type Hex, type PublicClient, type RpcLog } from 'viem';
import { encodeEventTopics, hexToBigInt, numberToHex, parseEventLogs } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import { USER_OPERATION_EVENT } from '../../evm/operations/parse-user-operation-events.js';
import type { Head } from '../transactions/load-head.js';
import { createReceiptLoader, type InclusionEvent, toInclusionRecord } from './to-inclusion-record.js';
import { compareBlocks } from './compare-blocks.js';
import type {
  RecordedOperation,
  TrackedOperation,
  TrackedOperationRepository,
} from './tracked-operation.repository.js';

/** Hashes in one filter. Nodes accept 1,000. */
const MAX_HASHES = 200;
/** Blocks in one search. */
const MAX_RANGE = 1_000n;
/** A reorganisation of more blocks is found only as far as it moves events. */
const REORG_DEPTH = 32n;

/** An event as the node wrote it. */
interface FoundEvent {
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly log: RpcLog;
}

/** Finds operations by their events, whichever transaction carried them, and finalizes them at the confirmation depth. */
export class InclusionTracker {
  private lastHead: Hex | undefined;
  private lastIds = '';
  /** Blocks up to this one have been searched, by operation id. */
  private searchedTo = new Map<string, bigint>();

  constructor(
    private readonly operations: TrackedOperationRepository,
    private readonly chainId: number,
    private readonly confirmations: number,
  ) {}

  async track(client: PublicClient, loadHead: () => Promise<Head>): Promise<void> {
    const unexecuted = await this.operations.findUnexecuted(this.chainId);
    if (unexecuted.length === 0 && !(await this.operations.hasIncluded(this.chainId))) return;
    const head = await loadHead();
    const ids = unexecuted.map(({ id, state }) => `${id} ${state}`).join();
    if (head.hash === this.lastHead && ids === this.lastIds) return;
    const removed = head.hash === this.lastHead ? [] : await this.settleBlocks(client, head);
    const tracked = [...unexecuted, ...removed];
    let isSettled = true;
    for (let from = 0; from < tracked.length; from += MAX_HASHES) {
      const recorded = await this.trackSome(client, head, tracked.slice(from, from + MAX_HASHES));
      if (recorded.some(({ record }) => this.isDeep(head, record.blockNumber))) isSettled = false;
    }
    this.searchedTo = new Map(tracked.map(({ id }) => [id, head.number]));
    this.lastHead = isSettled ? head.hash : undefined;
    this.lastIds = ids;
  }

  /** Makes operations final whose block is deep enough. @returns those whose block a reorganisation has removed */
  private async settleBlocks(client: PublicClient, head: Head): Promise<TrackedOperation[]> {
    const blocks = await this.operations.findInclusionBlocks(this.chainId);
    const { kept, removed } = await compareBlocks(client, head, blocks);
    const deep = kept.filter(({ number }) => this.isDeep(head, number));
    const final = await this.operations.findIncluded(this.chainId, deep);
    await this.operations.markFinal(
      final.flatMap(({ id, success, blockHash }) =>
        blockHash === null ? [] : [{ id, success: success === true, blockHash }],
      ),
    );
    return this.operations.findIncluded(this.chainId, removed);
  }

  private isDeep(head: Head, blockNumber: bigint): boolean {
    return head.number - blockNumber + 1n >= BigInt(this.confirmations);
  }

  /** @returns the operations that were found in blocks */
  private async trackSome(
    client: PublicClient,
    head: Head,
    tracked: readonly TrackedOperation[],
  ): Promise<RecordedOperation[]> {
    const events = await this.findEvents(client, head, tracked);
    const loadReceipt = createReceiptLoader(client);
    const included: RecordedOperation[] = [];
    const moved: RecordedOperation[] = [];
    const unexecuted: string[] = [];
    for (const { id, hash, state, blockHash, hasEnded } of tracked) {
      const event = events.get(hash);
      if (!event) {
        if (blockHash !== null) await this.operations.markSubmitted(id, blockHash);
        // After a reorganisation its transaction was executed on another state, and reverted.
        else if (state === 'submitted' && hasEnded) unexecuted.push(id);
      } else if (event.blockHash !== blockHash) {
        const found = decodeEvent(event);
        if (!found) continue;
        const recorded = blockHash === null ? included : moved;
        recorded.push({ id, record: await toInclusionRecord(loadReceipt, hash, found) });
      }
    }
    await this.operations.markIncluded(included);
    await this.operations.moveInclusion(moved);
    await this.operations.returnSubmitted(unexecuted);
    return [...included, ...moved];
  }

  /** By the hash of the operation. */
  private async findEvents(
    client: PublicClient,
    head: Head,
    tracked: readonly TrackedOperation[],
  ): Promise<Map<Hex, FoundEvent>> {
    const userOpHash = tracked.map(({ hash }) => hash);
    const topics = encodeEventTopics({ abi: [USER_OPERATION_EVENT], args: { userOpHash } });
    const address = Object.values(ACCOUNT_CONTRACTS).map(({ entryPoint }) => entryPoint);
    const starts = tracked.map((operation) => this.findStart(operation));
    const start = starts.reduce((least, block) => (block < least ? block : least), head.number);
    const found = new Map<Hex, FoundEvent>();
    for (let fromBlock = start; fromBlock <= head.number; fromBlock += MAX_RANGE) {
      const last = fromBlock + MAX_RANGE - 1n;
      const toBlock = last < head.number ? last : head.number;
      const logs = await client.request({
        method: 'eth_getLogs',
        params: [{ address, topics, fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }],
      });
      for (const log of logs) {
        const {
          topics: [, hash],
          blockNumber,
          blockHash,
        } = log;
        if (hash && blockNumber && blockHash)
          found.set(hash, { blockNumber: hexToBigInt(blockNumber), blockHash, log });
      }
    }
    return found;
  }

  private findStart({ id, firstBlock, blockNumber }: TrackedOperation): bigint {
    const searched = this.searchedTo.get(id) ?? firstBlock;
    const known = blockNumber !== null && blockNumber < searched ? blockNumber : searched;
    return known > REORG_DEPTH ? known - REORG_DEPTH : 0n;
  }
}

/** @returns undefined if the node's log is no event of the EntryPoint */
function decodeEvent({ log }: FoundEvent): InclusionEvent | undefined {
  const [event] = parseEventLogs({ abi: [USER_OPERATION_EVENT], logs: [formatLog(log)] });
  if (!event) return undefined;
  const { transactionHash, blockNumber, blockHash, args } = event;
  return { ...args, transactionHash, blockNumber, blockHash };
}
