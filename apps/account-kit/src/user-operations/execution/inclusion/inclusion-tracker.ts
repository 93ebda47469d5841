import { formatErrorReason } from '@app/common';
import type { Database } from '@app/database';
import type { Logger } from 'pino';
import { formatLog, type Hex, type RpcLog } from 'viem';
import { encodeEventTopics, hexToBigInt, parseEventLogs } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../../evm/accounts/account-contracts.js';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';
import { USER_OPERATION_EVENT } from '../../../evm/operations/parse-user-operation-events.js';
import type { Head } from '../transactions/transaction-fees.js';
import { type EventLogReader, SearchBudget } from './event-log-reader.js';
import { createReceiptLoader, type InclusionEvent, toInclusionRecord } from './to-inclusion-record.js';
import { InclusionFinalizer, MAX_HASHES } from './inclusion-finalizer.js';
import { FIRST_ID, findUnexecuted, hasIncluded, type TrackedOperation } from '../operation-queue.queries.js';
import type { OperationStateRepository, RecordedOperation } from '../operation-state.repository.js';

/** A reorganisation of more blocks is found only as far as it moves events. */
const REORG_DEPTH = 32n;
/** Operations with more blocks to search are searched apart, so that they do not delay newer ones. */
const MAX_FRESH_BLOCKS = 4n * REORG_DEPTH;
/** Searches that are remembered. */
const MAX_PROGRESS = 20_000;
/** An operation whose receipt cannot be read this often is recorded without the receipt. */
const MAX_RECEIPT_FAILURES = 3;

/** An event as the node wrote it. */
interface FoundEvent {
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly log: RpcLog;
}

/** How far the search for one operation has come. */
interface Progress {
  readonly nextBlock: bigint;
  /** The head up to which the search was complete. */
  readonly completeAt?: Hex;
}

interface TrackedChain {
  readonly chainId: number;
  readonly confirmations: number;
  /** Whether a bundler sends the operations of the chain: it gets what it was sent before again. */
  readonly isAtBundler: boolean;
}

/** A look at the chain. What it learns is kept when the node still has its head at the end. */
interface Turn {
  readonly node: ChainNode;
  readonly progress: Map<string, Progress>;
  readonly absent: TrackedOperation[];
  hasDeep: boolean;
}

/**
 * Finds operations by their events, whichever transaction carried them, and finalizes them at the confirmation depth. A turn asks a
 * bounded number of requests of one node, and the next turn goes on where it ended.
 */
export class InclusionTracker {
  private lastHead: Hex | undefined;
  private lastIds = '';
  private lastId = FIRST_ID;
  private progress = new Map<string, Progress>();
  private readonly receiptFailures = new Map<string, number>();
  private lag: bigint | undefined;
  private readonly finalizer: InclusionFinalizer;
  private readonly chainId: number;
  private readonly isAtBundler: boolean;

  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
    private readonly reader: EventLogReader,
    private readonly logger: Logger,
    { chainId, confirmations, isAtBundler }: TrackedChain,
  ) {
    this.chainId = chainId;
    this.isAtBundler = isAtBundler;
    this.finalizer = new InclusionFinalizer(database, states, chainId, confirmations, logger);
  }

  /** Blocks that the search is behind the newest one; undefined while another instance searches. */
  get lagBlocks(): bigint | undefined {
    return this.lag;
  }

  /** Forgets what was searched: another instance searches now. */
  pause(): void {
    this.lag = undefined;
    this.lastHead = undefined;
    this.progress.clear();
  }

  async track(pinNode: () => Promise<ChainNode>): Promise<void> {
    const { operations: unexecuted, nextId } = await findUnexecuted(this.database, this.chainId, this.lastId);
    this.lastId = nextId ?? FIRST_ID;
    if (unexecuted.length === 0 && !(await hasIncluded(this.database, this.chainId))) {
      this.lag = 0n;
      return;
    }
    const node = await pinNode();
    const { head } = node;
    const ids = unexecuted.map(({ id, state }) => `${id} ${state}`).join();
    if (head.hash === this.lastHead && ids === this.lastIds) return;
    const settled =
      head.hash === this.lastHead ? { removed: [], isComplete: true } : await this.finalizer.settle(node);
    const tracked = [...unexecuted, ...settled.removed];
    const turn: Turn = { node, progress: new Map(), absent: [], hasDeep: false };
    const failure = await this.searchAll(turn, tracked).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const hasHead = await node.hasHead().catch(() => false);
    if (hasHead) {
      for (const [id, progress] of turn.progress) this.progress.set(id, progress);
      await this.settleAbsent(turn.absent);
    }
    const known = new Set(tracked.map(({ id }) => id));
    // The others take turns, and their search goes on where it ended.
    if (nextId === undefined || this.progress.size > MAX_PROGRESS)
      for (const id of this.progress.keys()) if (!known.has(id)) this.progress.delete(id);
    const incomplete = tracked.filter(({ id }) => this.progress.get(id)?.completeAt !== head.hash);
    this.lag = incomplete
      .map((operation) => head.number - this.findStart(operation, head))
      .reduce((most, blocks) => (blocks > most ? blocks : most), 0n);
    const isComplete = incomplete.length === 0 && settled.isComplete && !turn.hasDeep;
    this.lastHead = isComplete ? head.hash : undefined;
    this.lastIds = ids;
    if (failure) throw failure.error;
  }

  /** Newer operations come first: an old one, whose blocks take many turns, does not delay them. */
  private async searchAll(turn: Turn, tracked: readonly TrackedOperation[]): Promise<void> {
    const { head } = turn.node;
    const due = tracked.filter(({ id }) => this.progress.get(id)?.completeAt !== head.hash);
    const isFresh = (operation: TrackedOperation) =>
      head.number - this.findStart(operation, head) <= MAX_FRESH_BLOCKS;
    for (const group of [due.filter(isFresh), due.filter((operation) => !isFresh(operation))]) {
      const budget = new SearchBudget();
      for (let from = 0; from < group.length && !budget.isSpent; from += MAX_HASHES)
        await this.searchSome(turn, group.slice(from, from + MAX_HASHES), budget);
    }
  }

  /** What was found before a request failed is recorded nevertheless. */
  private async searchSome(
    turn: Turn,
    operations: readonly TrackedOperation[],
    budget: SearchBudget,
  ): Promise<void> {
    const { client, head } = turn.node;
    const filter = {
      address: Object.values(ACCOUNT_CONTRACTS).map(({ entryPoint }) => entryPoint),
      topics: encodeEventTopics({
        abi: [USER_OPERATION_EVENT],
        args: { userOpHash: operations.map(({ hash }) => hash) },
      }),
    };
    const starts = operations.map((operation) => this.findStart(operation, head));
    let nextBlock = starts.reduce((least, block) => (block < least ? block : least), head.number);
    const events = new Map<Hex, FoundEvent>();
    try {
      while (nextBlock <= head.number && !budget.isSpent) {
        const span = { fromBlock: nextBlock, toBlock: head.number };
        const { logs, toBlock } = await this.reader.read(client, filter, span, { budget });
        for (const event of logs.flatMap(toFoundEvent)) events.set(event.hash, event);
        nextBlock = toBlock + 1n;
      }
    } finally {
      const isComplete = nextBlock > head.number;
      const unrecorded = await this.recordFound(turn, operations, events);
      for (const operation of operations) {
        if (unrecorded.has(operation.id)) continue;
        const start = this.findStart(operation, head);
        const reached = start > nextBlock ? start : nextBlock;
        turn.progress.set(
          operation.id,
          isComplete
            ? { nextBlock: toReorgStart(head.number), completeAt: head.hash }
            : { nextBlock: reached },
        );
        if (isComplete && !events.has(operation.hash)) turn.absent.push(operation);
      }
    }
  }

  /** @returns ids of the operations that are in a block and could not be recorded */
  private async recordFound(
    turn: Turn,
    operations: readonly TrackedOperation[],
    events: ReadonlyMap<Hex, FoundEvent>,
  ): Promise<ReadonlySet<string>> {
    const loadReceipt = createReceiptLoader(turn.node.client);
    const included: RecordedOperation[] = [];
    const moved: RecordedOperation[] = [];
    const unrecorded = new Set<string>();
    for (const { id, hash, blockHash } of operations) {
      const event = events.get(hash);
      if (!event || event.blockHash === blockHash) continue;
      const found = decodeEvent(event);
      if (!found) continue;
      try {
        const record = await toInclusionRecord(loadReceipt, hash, found);
        (blockHash === null ? included : moved).push({ id, record });
        this.receiptFailures.delete(id);
      } catch (error) {
        const failures = (this.receiptFailures.get(id) ?? 0) + 1;
        this.receiptFailures.set(id, failures);
        const reason = formatErrorReason(error);
        this.logger.warn({ operationId: id, reason, failures }, 'the receipt of an operation cannot be read');
        if (failures < MAX_RECEIPT_FAILURES) unrecorded.add(id);
        else
          (blockHash === null ? included : moved).push({
            id,
            record: { ...found, reason: null, receipt: null },
          });
      }
    }
    const failed = [
      ...(await this.record(included, (some) => this.states.markIncluded(some))),
      ...(await this.record(moved, (some) => this.states.moveInclusion(some))),
    ];
    for (const id of failed) unrecorded.add(id);
    if (
      [...included, ...moved].some(({ record }) => this.finalizer.isDeep(turn.node.head, record.blockNumber))
    )
      turn.hasDeep = true;
    return unrecorded;
  }

  /** Records all together, and each alone if that fails: a contract chooses some of what is stored. @returns ids that failed */
  private async record(
    recorded: readonly RecordedOperation[],
    write: (some: readonly RecordedOperation[]) => Promise<void>,
  ): Promise<string[]> {
    const failed: string[] = [];
    await write(recorded).catch(async () => {
      for (const one of recorded)
        await write([one]).catch((error: unknown) => {
          failed.push(one.id);
          const reason = formatErrorReason(error);
          this.logger.warn(
            { operationId: one.id, reason },
            'the inclusion of an operation cannot be recorded',
          );
        });
    });
    return failed;
  }

  /** Changes operations of which a complete search has found no event. */
  private async settleAbsent(absent: readonly TrackedOperation[]): Promise<void> {
    for (const { id, blockHash } of absent)
      if (blockHash !== null) {
        await this.states.markSubmitted(id, blockHash);
        // The operation is settled as a submitted one next, which may be before the next block.
        this.progress.delete(id);
      }
    // After a reorganisation the transaction of the operation was executed on another state, and reverted.
    const unexecuted = absent.filter(
      ({ state, blockHash, hasEnded, wasAtBundler }) =>
        blockHash === null && state === 'submitted' && hasEnded && !(this.isAtBundler && wasAtBundler),
    );
    await this.states.returnSubmitted(unexecuted.map(({ id }) => id));
  }

  /**
   * Blocks above the head were told by a node whose head no other node has. What is executed before the block that the search begins at
   * instead is found by its nonce.
   */
  private findStart({ id, firstBlock, blockNumber }: TrackedOperation, head: Pick<Head, 'number'>): bigint {
    const known = this.progress.get(id);
    if (known && known.nextBlock <= head.number + 1n) return known.nextBlock;
    const first = blockNumber !== null && blockNumber < firstBlock ? blockNumber : firstBlock;
    return toReorgStart(first < head.number ? first : head.number);
  }
}

const toReorgStart = (block: bigint): bigint => (block > REORG_DEPTH ? block - REORG_DEPTH : 0n);

function toFoundEvent(log: RpcLog): (FoundEvent & { readonly hash: Hex })[] {
  const {
    topics: [, hash],
    blockNumber,
    blockHash,
  } = log;
  if (!hash || !blockNumber || !blockHash) return [];
  return [{ hash, blockNumber: hexToBigInt(blockNumber), blockHash, log }];
}

/** @returns undefined if the node's log is no event of the EntryPoint */
function decodeEvent({ log }: FoundEvent): InclusionEvent | undefined {
  const [event] = parseEventLogs({ abi: [USER_OPERATION_EVENT], logs: [formatLog(log)] });
  if (!event) return undefined;
  const { transactionHash, blockNumber, blockHash, args } = event;
  return { ...args, transactionHash, blockNumber, blockHash };
}
