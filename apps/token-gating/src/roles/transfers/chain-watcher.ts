import { formatErrorReason, HOUR_MS, SECOND_MS } from '@app/common';
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
/** Contracts of one chain whose transfers are followed; the rest is polled. */
const CONTRACT_LIMITS = { perTenant: 1_000, total: 5_000 };
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
  /** Blocks of the logs that were followed already, by the ids of the logs: those above the position. */
  private readonly seen = new Map<string, bigint>();
  private lastRead = { head: -1n, at: -Infinity, contracts: 0 };
  private lastReason: string | undefined;
  private renewal: NodeJS.Timeout | undefined;

  constructor(private readonly options: ChainWatcherOptions) {
    this.budget = new LogBudget(options.chain.blockTime);
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
    this.budget = new LogBudget(this.options.chain.blockTime);
    this.lastRead = { head: -1n, at: -Infinity, contracts: 0 };
  }

  /** Logs a reason once, until there is another one. */
  private warn(reason: string | undefined): void {
    const { chain, logger } = this.options;
    if (reason !== undefined && reason !== this.lastReason)
      logger.warn({ chainId: chain.id, reason }, 'could not follow the transfers of a chain');
    this.lastReason = reason;
  }

  private async follow(signal: AbortSignal): Promise<number> {
    const { chain, database, metrics, reader } = this.options;
    if (!(await hasContracts(database, chain.id))) {
      metrics.setState(chain.id, 'idle');
      return this.pauseMs;
    }
    const { watched, excess } = await listContracts(database, chain.id, CONTRACT_LIMITS);
    const beyond = { reason: 'too_many_contracts', forMs: POLLED_MS } as const;
    await pollContracts(database, chain.id, excess, beyond);
    const polled = await countPolledContracts(database, chain.id);
    if (watched.length === 0) {
      metrics.setState(chain.id, 'idle');
      return this.pauseMs;
    }
    metrics.setContracts(chain.id, { watched: watched.length, polled });
    let reason: string | undefined;
    for await (const head of reader.readHeads(signal)) {
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

  private async followTo(
    head: OwnerChangeHead,
    contracts: readonly WatchedContract[],
    signal: AbortSignal,
  ): Promise<LookOutcome> {
    const { chain, metrics } = this.options;
    const position = await this.findPosition(head.block);
    const isRead = head.block === this.lastRead.head && contracts.length === this.lastRead.contracts;
    if (isRead && performance.now() - this.lastRead.at < REREAD_AFTER_MS) {
      await this.store(head.block, position, undefined);
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
      const noisy = await this.store(head.block, read.toBlock, { read, byAddress });
      for (const address of [...read.refused, ...noisy]) byAddress.delete(address);
      fromBlock = read.toBlock + 1n;
    }
    metrics.setBlocksBehind(chain.id, 0n);
    this.lastRead = { head: head.block, at: performance.now(), contracts: contracts.length };
    return { isDone: true };
  }

  /** The last block that is not read again. A chain without one, a long gap and another key end in a check of all members. */
  private async findPosition(head: bigint): Promise<bigint> {
    const { chain, database, hasher, logger } = this.options;
    const { position, keyId } = await loadPosition(database, chain.id);
    const isKnown = position !== null && keyId !== null && hasher.keyId.equals(keyId);
    // A head far below the position was that of another chain, or of a node that lied.
    if (isKnown && head - position <= MAX_GAP_BLOCKS && position - head <= MAX_GAP_BLOCKS) return position;
    const details = { chainId: chain.id, position: position?.toString(), head: head.toString() };
    logger.info(details, 'transfers are followed from the newest block on');
    const begin = this.toFinalBlock(head);
    await this.inTransaction(async (manager) => {
      await storePosition(manager, chain.id, { position: begin, keyId: hasher.keyId });
      await scheduleChecksOfChain(manager, chain.id);
    });
    return begin;
  }

  /** The newest block that a reorganisation of as many blocks as the confirmation depth leaves; -1 where the chain is shorter. */
  private toFinalBlock(head: bigint): bigint {
    const final = head - BigInt(this.options.confirmations);
    return final < 0n ? -1n : final;
  }

  /**
   * Notes the members of logs, and moves the position, in one transaction that the lease fences.
   * @param readUntil the last block that was read
   * @param logs undefined where nothing was read
   * @returns contracts beyond their budget
   */
  private async store(
    head: bigint,
    readUntil: bigint,
    logs: ReadLogs | undefined,
  ): Promise<readonly string[]> {
    const { chain, hasher } = this.options;
    const finalBlock = this.toFinalBlock(head);
    const position = readUntil < finalBlock ? readUntil : finalBlock;
    const { followed, noisy } = this.choose(logs);
    const accounts = followed.flatMap(({ contract, accounts: named, block }) =>
      named.map((account) => ({ contract, block, hash: hasher.hash(account) })),
    );
    await this.inTransaction(async (manager) => {
      if (accounts.length > 0)
        await noteMembers(manager, chain.id, accounts, { finalBlock, delayMs: this.checkDelayMs });
      await noteFinalBlocks(manager, chain.id, finalBlock);
      if (!logs) return;
      await storePosition(manager, chain.id, { position, keyId: hasher.keyId });
      const refused = { reason: 'logs_refused', forMs: POLLED_MS } as const;
      await pollContracts(manager, chain.id, logs.read.refused, refused);
      await pollContracts(manager, chain.id, noisy, { reason: 'too_many_logs', forMs: POLLED_MS });
    });
    for (const { id, block } of followed) this.seen.set(id, block);
    for (const [id, block] of this.seen) if (block <= position) this.seen.delete(id);
    this.budget.forgetBefore(position);
    return noisy;
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
