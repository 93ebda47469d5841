import { formatErrorReason, HOUR_MS, MINUTE_MS, SECOND_MS } from '@app/common';
import {
  type ChainInfo,
  type OwnerChange,
  type OwnerChangeHead,
  type OwnerChangeReader,
  type OwnerChanges,
  type WatchedContract,
} from '@app/chain/evm';
import type { Database } from '@app/database';
import type { Logger } from 'pino';
import type { EntityManager } from 'typeorm';
import type { AccountHasher } from './account-hasher.js';
import { LogBudget } from './log-budget.js';
import { noteFinalBlocks, noteMembers } from './transfer-checks.queries.js';
import type { TransferMetrics } from './transfer-metrics.js';
import {
  acquireLease,
  countPolledContracts,
  hasContracts,
  holdLease,
  listContracts,
  loadPosition,
  pollContracts,
  releaseLease,
  scheduleChecksOfChain,
  storePosition,
  WatcherLeaseLostError,
} from './transfer-watchers.queries.js';

/** After a crash of the instance that follows a chain another one goes on when the lease has passed. */
const LEASE_MS = 15 * SECOND_MS;
const RENEWAL_MS = LEASE_MS / 3;
/** New blocks are looked for once a block time, within these bounds: two requests a block. */
const MIN_PAUSE_MS = SECOND_MS;
const MAX_PAUSE_MS = 15 * SECOND_MS;
/** The delay of a check after its log. The second check corrects what a chain with slower blocks had in its cache. */
const MAX_CHECK_DELAY_MS = 30 * SECOND_MS;
/** While no new block comes, logs are read again after this time: nodes may serve those of the newest block late. */
const REREAD_AFTER_MS = 30 * SECOND_MS;
/** A look reads logs for this time at most, so that the list of contracts stays fresh. */
const MAX_LOOK_MS = 10 * SECOND_MS;
/** A longer gap is skipped: all members are checked once, which costs less. */
const MAX_GAP_BLOCKS = 10_000n;
/** Answers in a row, before the blocks that were read, after which the blocks that were read are taken for those of another chain. */
const MAX_LOW_HEADS = 20;
/** Time between two such decisions: each has all members checked. */
const MIN_RESTART_INTERVAL_MS = 10 * MINUTE_MS;
/** Blocks of this time are read again at least: on a chain with fast blocks the confirmation depth passes between two looks. */
const MIN_REREAD_MS = 30 * SECOND_MS;
/** Contracts of one chain whose transfers are followed; the rest is polled. */
const CONTRACT_LIMITS = { perTenant: 1_000, total: 5_000 };
/** How long a start may take before what is missing is a fault. */
const START_MS = 30 * SECOND_MS;
/** A contract is polled for this time, then followed again. */
const POLLED_MS = HOUR_MS;

export interface ChainWatcherOptions {
  readonly chain: ChainInfo;
  readonly confirmations: number;
  /** Id of the instance. */
  readonly holder: string;
  readonly reader: Pick<OwnerChangeReader, 'readHeads' | 'close'>;
  readonly database: Database;
  readonly hasher: AccountHasher;
  readonly metrics: TransferMetrics;
  readonly logger: Logger;
}

/** How a look at one node ended. */
type LookOutcome = { readonly isDone: boolean } | { readonly reason: string };

/** What a node said about some blocks of contracts. */
interface ReadLogs {
  readonly read: OwnerChanges;
  readonly byAddress: ReadonlyMap<string, WatchedContract>;
}

/**
 * Follows the logs of one chain while this instance holds the lease. The tenants with contracts on the chain share it: LogBudget and
 * CONTRACT_LIMITS bound what one of them has it do, and a contract beyond them is polled. The newest blocks down to the confirmation depth are
 * read again with each new block, so that the logs of a reorganised chain, and those that a node served late, are seen.
 */
export class ChainWatcher {
  private budget: LogBudget;
  /** Logs that were followed already, by their ids: those above the position. */
  private readonly seen = new Map<string, OwnerChange>();
  /** The head of the answer before. One answer alone may be wrong: blocks are final when two answers say so. */
  private lastHead: bigint | undefined;
  /** A head that is too far above the position, and that no second answer has confirmed. */
  private farHead: bigint | undefined;
  private lowHeads = 0;
  private noRestartUntil = -Infinity;
  private lastRead = { head: -1n, at: -Infinity, contracts: 0 };
  private lastReport: string | undefined;
  private isStarting = true;
  private readonly startedAt = performance.now();
  private renewal: NodeJS.Timeout | undefined;

  /** The newest blocks that are read again with each new one. */
  private readonly depth: bigint;

  constructor(private readonly options: ChainWatcherOptions) {
    const { chain, confirmations } = options;
    this.budget = new LogBudget(chain.blockTime);
    this.depth = BigInt(
      Math.max(confirmations, chain.blockTime ? Math.ceil(MIN_REREAD_MS / chain.blockTime) : 0),
    );
  }

  /** Looks for new blocks once, and does not throw. @returns milliseconds until the next look */
  async look(signal: AbortSignal): Promise<number> {
    const { chain, metrics } = this.options;
    try {
      if (!(await this.keepLease())) {
        metrics.setState(chain.id, 'standby');
        return RENEWAL_MS;
      }
      const pauseMs = await this.follow(signal);
      this.warn(undefined);
      return pauseMs;
    } catch (error) {
      if (!signal.aborted) this.warn(formatErrorReason(error));
      // Logs that were counted and not stored are read again, and must not count twice.
      this.budget = new LogBudget(chain.blockTime);
      if (error instanceof WatcherLeaseLostError) this.forgetLease();
      return this.pauseMs;
    }
  }

  /** Lets another instance go on at once. */
  async stop(): Promise<void> {
    const { chain, database, holder, reader } = this.options;
    const isHeld = this.renewal !== undefined;
    this.forgetLease();
    await reader.close();
    if (isHeld) await releaseLease(database, { chainId: chain.id, holder });
  }

  private get pauseMs(): number {
    return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, this.options.chain.blockTime ?? 0));
  }

  /** Reads are cached for a block time: a check that begins later finds none from before the log. */
  private get checkDelayMs(): number {
    return Math.min(MAX_CHECK_DELAY_MS, Math.max(MIN_PAUSE_MS, this.options.chain.blockTime ?? 0));
  }

  /** Takes or renews the lease. It is renewed beside reads, which may take longer. */
  private async keepLease(): Promise<boolean> {
    const { chain, database, holder } = this.options;
    const renew = () => acquireLease(database, { chainId: chain.id, holder }, LEASE_MS);
    if (!(await renew())) {
      this.forgetLease();
      return false;
    }
    // A renewal that fails is repeated; where the lease is lost meanwhile, nothing is stored.
    this.renewal ??= setInterval(() => void renew().catch(() => undefined), RENEWAL_MS);
    return true;
  }

  /** What this instance remembers may be wrong after another one has gone on. */
  private forgetLease(): void {
    clearInterval(this.renewal);
    this.renewal = undefined;
    this.seen.clear();
    this.lastHead = undefined;
    this.farHead = undefined;
    this.lowHeads = 0;
    this.budget = new LogBudget(this.options.chain.blockTime);
    this.lastRead = { head: -1n, at: -Infinity, contracts: 0 };
  }

  /**
   * Logs a reason once, until there is another one. An app that has just started may be up before what it reads, which is a warning only when it
   * lasts.
   */
  private warn(reason: string | undefined): void {
    const { chain, logger } = this.options;
    const fields = { chainId: chain.id, reason };
    if (reason === undefined) this.isStarting = false;
    const level = this.isStarting && performance.now() - this.startedAt < START_MS ? 'info' : 'warn';
    const report = reason && `${level} ${reason}`;
    if (report !== undefined && report !== this.lastReport) {
      if (level === 'info') logger.info(fields, 'the transfers of a chain are not followed yet');
      else logger.warn(fields, 'could not follow the transfers of a chain');
    }
    this.lastReport = report;
  }

  private async follow(signal: AbortSignal): Promise<number> {
    const { chain, database, metrics } = this.options;
    if (!(await hasContracts(database, chain.id))) {
      metrics.setState(chain.id, 'idle');
      return this.pauseMs;
    }
    const { watched, excess } = await listContracts(database, chain.id, CONTRACT_LIMITS);
    const beyond = { reason: 'too_many_contracts', forMs: POLLED_MS } as const;
    await pollContracts(database, chain.id, excess, beyond);
    const polled = await countPolledContracts(database, chain.id);
    metrics.setContracts(chain.id, { watched: watched.length, polled });
    let reason: string | undefined;
    for await (const head of this.readHeads(signal)) {
      const outcome = await this.followTo(head, watched, signal);
      if ('reason' in outcome) {
        ({ reason } = outcome);
        continue;
      }
      metrics.setState(chain.id, 'following');
      return outcome.isDone ? this.pauseMs : 0;
    }
    metrics.setState(chain.id, reason === undefined ? 'unreachable' : 'no_logs');
    throw new Error(reason ?? 'no node answers, or all serve another chain');
  }

  /**
   * The heads of the nodes in the order in which they are followed: a node with a block that was not read comes at once, the others when no
   * node has one, so that a node that is stuck or far behind does not hide the next one.
   */
  private async *readHeads(signal: AbortSignal): AsyncGenerator<OwnerChangeHead> {
    const others: OwnerChangeHead[] = [];
    for await (const head of this.options.reader.readHeads(signal)) {
      if (head.block > this.lastRead.head) yield head;
      else others.push(head);
    }
    yield* others.toSorted((a, b) => Number(b.block - a.block));
  }

  private async followTo(
    head: OwnerChangeHead,
    contracts: readonly WatchedContract[],
    signal: AbortSignal,
  ): Promise<LookOutcome> {
    const { metrics, chain } = this.options;
    const position = await this.findPosition(head.block);
    const finalBlock = this.toFinalBlock(min(head.block, this.lastHead ?? -1n));
    this.lastHead = head.block;
    if (position === undefined) return { reason: 'the newest block is far from those whose logs were read' };
    const span = { position, finalBlock };
    const isRead = head.block === this.lastRead.head && contracts.length === this.lastRead.contracts;
    if (isRead && performance.now() - this.lastRead.at < REREAD_AFTER_MS) {
      await this.store(span, head.block, undefined);
      return { isDone: true };
    }
    const endsAt = performance.now() + MAX_LOOK_MS;
    const byAddress = new Map(contracts.map((contract) => [contract.address, contract]));
    let fromBlock = position + 1n;
    while (fromBlock <= head.block && byAddress.size > 0) {
      metrics.setBlocksBehind(chain.id, head.block - fromBlock + 1n);
      if (performance.now() > endsAt || signal.aborted) return { isDone: false };
      const read = await head.read([...byAddress.values()], { fromBlock, toBlock: head.block }, signal);
      if (!read.ok) return { reason: read.reason };
      const noisy = await this.store(span, read.toBlock, { read, byAddress });
      for (const address of [...read.refused, ...noisy]) byAddress.delete(address);
      fromBlock = read.toBlock + 1n;
    }
    // Contracts that are polled are not read later either.
    if (byAddress.size === 0) await this.store(span, head.block, undefined);
    metrics.setBlocksBehind(chain.id, 0n);
    this.lastRead = { head: head.block, at: performance.now(), contracts: contracts.length };
    return { isDone: true };
  }

  /**
   * The last block that is not read again. A chain without one, a long gap and another key end in a check of all members.
   * @returns undefined where a head is far from the position, and has not been confirmed by other answers
   */
  private async findPosition(head: bigint): Promise<bigint | undefined> {
    const { chain, database, hasher, logger } = this.options;
    const { position, keyId } = await loadPosition(database, chain.id);
    let begin = this.toFinalBlock(head);
    if (position !== null && keyId !== null && hasher.keyId.equals(keyId)) {
      if (head < position) {
        this.lowHeads += 1;
        if (this.lowHeads < MAX_LOW_HEADS || performance.now() < this.noRestartUntil) return undefined;
        this.noRestartUntil = performance.now() + MIN_RESTART_INTERVAL_MS;
      } else {
        this.lowHeads = 0;
        const { farHead } = this;
        this.farHead = head - position > MAX_GAP_BLOCKS ? head : undefined;
        if (this.farHead === undefined) return position;
        if (farHead === undefined) return undefined;
        begin = this.toFinalBlock(min(head, farHead));
      }
    }
    const details = { chainId: chain.id, position: position?.toString(), head: head.toString() };
    logger.info(details, 'transfers are followed from the newest block on');
    await this.inTransaction(async (manager) => {
      await storePosition(manager, chain.id, { position: begin, keyId: hasher.keyId });
      await scheduleChecksOfChain(manager, chain.id);
    });
    this.lowHeads = 0;
    this.farHead = undefined;
    return begin;
  }

  /** The newest block that is not read again, and that a reorganisation of the confirmation depth leaves; -1 where the chain is shorter. */
  private toFinalBlock(head: bigint): bigint {
    const final = head - this.depth;
    return final < 0n ? -1n : final;
  }

  /**
   * Notes the members of logs, and moves the position, in one transaction that the lease fences. The members of logs that become final are
   * looked up again: a wallet that was linked when the log came may have been stored since.
   * @param readUntil the last block that was read
   * @param logs undefined where nothing was read now
   * @returns contracts beyond their budget
   */
  private async store(
    { position, finalBlock }: { readonly position: bigint; readonly finalBlock: bigint },
    readUntil: bigint,
    logs: ReadLogs | undefined,
  ): Promise<readonly string[]> {
    const { chain, hasher } = this.options;
    const moved = max(position, min(readUntil, finalBlock));
    const { followed, noisy } = this.choose(logs);
    const settled = [...this.seen.values()].filter(({ block }) => block <= moved);
    const options = { finalBlock, delayMs: this.checkDelayMs };
    await this.inTransaction(async (manager) => {
      // First, so that members who are found again are checked once.
      await noteFinalBlocks(manager, chain.id, finalBlock);
      const accounts = this.hashAccounts([...settled, ...followed]);
      if (accounts.length > 0) await noteMembers(manager, chain.id, accounts, options);
      if (moved !== position || logs)
        await storePosition(manager, chain.id, { position: moved, keyId: hasher.keyId });
      if (!logs) return;
      const refused = { reason: 'logs_refused', forMs: POLLED_MS } as const;
      await pollContracts(manager, chain.id, logs.read.refused, refused);
      await pollContracts(manager, chain.id, noisy, { reason: 'too_many_logs', forMs: POLLED_MS });
    });
    for (const change of followed) this.seen.set(change.id, change);
    for (const [id, { block }] of this.seen) if (block <= moved) this.seen.delete(id);
    this.budget.forgetBefore(moved);
    return noisy;
  }

  private hashAccounts(changes: readonly OwnerChange[]) {
    const { hasher } = this.options;
    return changes.flatMap(({ contract, accounts, block }) =>
      accounts.map((account) => ({ contract, block, hash: hasher.hash(account) })),
    );
  }

  /** The changes that were not followed before, within the budgets of their contracts, and the contracts beyond. */
  private choose(logs: ReadLogs | undefined) {
    const followed = new Map<string, OwnerChange>();
    const noisy = new Set<string>();
    for (const change of logs?.read.changes ?? []) {
      const contract = logs?.byAddress.get(change.contract);
      if (!contract || this.seen.has(change.id) || followed.has(change.id)) continue;
      if (this.budget.take(contract, change.block)) followed.set(change.id, change);
      else noisy.add(change.contract);
    }
    return { followed: [...followed.values()], noisy: [...noisy] };
  }

  private async inTransaction(work: (manager: EntityManager) => Promise<void>): Promise<void> {
    const { chain, database, holder } = this.options;
    await database.transaction(async (manager) => {
      await holdLease(manager, { chainId: chain.id, holder });
      await work(manager);
    });
  }
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
