import { formatLog, type Hex, type PublicClient, type RpcLog } from 'viem';
import { encodeEventTopics, hexToBigInt, numberToHex, parseEventLogs } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import { USER_OPERATION_EVENT } from '../../evm/operations/parse-user-operation-events.js';
import type { Head } from '../transactions/load-head.js';
import { createReceiptLoader, type InclusionEvent, toInclusionRecord } from './to-inclusion-record.js';
import type {
  FinalOperation,
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

/** An event as the node wrote it. Operations are looked at in each block until they are final, and decoded once. */
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
    const tracked = await this.operations.findTracked(this.chainId);
    if (tracked.length === 0) return;
    const head = await loadHead();
    const ids = tracked.map(({ id, state }) => `${id} ${state}`).join();
    if (head.hash === this.lastHead && ids === this.lastIds) return;
    for (let from = 0; from < tracked.length; from += MAX_HASHES)
      await this.trackSome(client, head, tracked.slice(from, from + MAX_HASHES));
    this.searchedTo = new Map(tracked.map(({ id }) => [id, head.number]));
    this.lastHead = head.hash;
    this.lastIds = ids;
  }

  private async trackSome(
    client: PublicClient,
    head: Head,
    tracked: readonly TrackedOperation[],
  ): Promise<void> {
    const events = await this.findEvents(client, head, tracked);
    const loadReceipt = createReceiptLoader(client);
    const included: RecordedOperation[] = [];
    const moved: RecordedOperation[] = [];
    const final: FinalOperation[] = [];
    const unexecuted: string[] = [];
    for (const operation of tracked) {
      const { id, hash, state, blockHash, success, hasEnded } = operation;
      const event = events.get(hash);
      if (!event) {
        if (state === 'included') await this.checkReorganised(client, operation);
        // After a reorganisation its transaction was executed on another state, and reverted.
        else if (state === 'submitted' && hasEnded) unexecuted.push(id);
      } else if (state !== 'included' || event.blockHash !== blockHash) {
        const found = decodeEvent(event);
        if (!found) continue;
        const recorded = state === 'included' ? moved : included;
        recorded.push({ id, record: await toInclusionRecord(loadReceipt, hash, found) });
      } else if (head.number - event.blockNumber + 1n >= BigInt(this.confirmations))
        final.push({ id, success: success === true, blockHash: event.blockHash });
    }
    await this.operations.markIncluded(included);
    await this.operations.moveInclusion(moved);
    await this.operations.markFinal(final);
    await this.operations.returnSubmitted(unexecuted);
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

  /** A node that is behind has no event either: only another block at the same height proves a reorganisation. */
  private async checkReorganised(client: PublicClient, operation: TrackedOperation): Promise<void> {
    const { id, blockNumber, blockHash } = operation;
    if (blockNumber === null || blockHash === null) return;
    const { hash } = await client.getBlock({ blockNumber });
    if (hash !== blockHash) await this.operations.markSubmitted(id, blockHash);
  }
}

/** @returns undefined if the node's log is no event of the EntryPoint */
function decodeEvent({ log }: FoundEvent): InclusionEvent | undefined {
  const [event] = parseEventLogs({ abi: [USER_OPERATION_EVENT], logs: [formatLog(log)] });
  if (!event) return undefined;
  const { transactionHash, blockNumber, blockHash, args } = event;
  return { ...args, transactionHash, blockNumber, blockHash };
}
