import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '@app/common';
import { ChainConfig, type ChainInfo, OwnerChangeReader } from '@app/chain/evm';
import { Database } from '@app/database';
import { storedRoleRules } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { MAX_MEMBERS_PER_CHECK, memberChecksQueue } from '@app/queues';
import { ServiceContext, Sweeper } from '@app/service';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  leaveOutdated,
  scheduleChecksNow,
  storeCommunityContracts,
  takeOutdatedCommunities,
} from '../../communities/rules/community-contracts.queries.js';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';
import { ChainService } from '../../rules/chains/chain.service.js';
import { listWatchedContracts } from '../../rules/watched-contracts.js';
import { AccountHasher } from './account-hasher.js';
import { ChainWatcher } from './chain-watcher.js';
import {
  deleteDoneChecks,
  type DueMember,
  releaseLostChecks,
  storeJobIds,
  takeDueMembers,
} from './transfer-checks.queries.js';
import { TransferMetrics } from './transfer-metrics.js';
import { TransferWatcherConfig, WatchedChainsConfig } from './transfer-watcher.config.js';
import { deleteOldPolledContracts } from './transfer-watchers.queries.js';

/** Follows the transfers of each chain in a loop of its own, so that a chain whose node is slow does not delay others. */
@Injectable()
export class TransferWatcherService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Holder of leases. An instance that starts again is another holder. */
  private readonly instanceId = randomUUID();
  private readonly stop = new AbortController();
  private loops: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly watched: WatchedChainsConfig,
    private readonly chains: ChainService,
    private readonly chainConfig: ChainConfig,
    private readonly database: Database,
    private readonly hasher: AccountHasher,
    private readonly metrics: TransferMetrics,
    private readonly context: ServiceContext,
  ) {}

  onApplicationBootstrap(): void {
    const chains = this.watched.chainIds.flatMap((chainId) => this.chains.findEvm(chainId) ?? []);
    this.loops = Promise.all(chains.map((chain) => this.run(this.createWatcher(chain))));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.loops;
  }

  private async run(watcher: ChainWatcher): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      const pauseMs = await watcher.look(signal);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
    await watcher.stop().catch((error: unknown) => {
      this.context.logger.warn({ err: error }, 'could not release the lease of a chain');
    });
  }

  private createWatcher(chain: ChainInfo): ChainWatcher {
    const { database, hasher, metrics } = this;
    const { settings } = this.chainConfig;
    const reader = new OwnerChangeReader(chain, {
      connectTimeoutMs: settings.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: settings.RPC_TIMEOUT_MS,
      onRequest: (method) => {
        metrics.recordRequest(chain.id, method);
      },
    });
    const confirmations = this.watched.getConfirmations(chain.id);
    const { logger } = this.context;
    return new ChainWatcher({
      ...{ chain, confirmations, reader, database, hasher, metrics, logger },
      holder: this.instanceId,
    });
  }
}

/** Communities of one transaction. */
const MAX_COMMUNITIES = 20;

/**
 * Finds the contracts of rules that were stored without them, by an earlier release. Rules that only a later release can parse are left to it:
 * the contracts that are known stay.
 */
@Injectable()
export class CommunityContractsSweeper extends Sweeper {
  /** The last community of a pass, so that communities whose rules cannot be parsed do not hold up those behind them. */
  private after = '';

  constructor(
    context: ServiceContext,
    { SWEEP_INTERVAL_MS }: SweepConfig,
    private readonly database: Database,
  ) {
    super(context, [{ name: 'find contracts of rules', sweep: () => this.sweep() }], SWEEP_INTERVAL_MS);
  }

  /** Members of a community with new contracts are checked once, which also stores their accounts. */
  private async sweep(): Promise<boolean> {
    const communities = await this.database.transaction(async (manager) => {
      const page = { after: this.after, limit: MAX_COMMUNITIES };
      const outdated = await takeOutdatedCommunities(manager, page);
      const unreadable: string[] = [];
      const added: string[] = [];
      for (const { id, rules, isWithoutApplication } of outdated) {
        const { data } = storedRoleRules.safeParse(rules);
        const contracts = data && !isWithoutApplication ? listWatchedContracts(data) : [];
        if (!data) unreadable.push(id);
        else if ((await storeCommunityContracts(manager, id, contracts)) > 0) added.push(id);
      }
      if (unreadable.length > 0) await leaveOutdated(manager, unreadable);
      if (added.length > 0) await scheduleChecksNow(manager, added);
      return outdated;
    });
    const hasMore = communities.length === MAX_COMMUNITIES;
    this.after = hasMore ? (communities.at(-1)?.id ?? '') : '';
    return hasMore;
  }
}

/** Members of one transaction, of all tenants in equal parts. */
const MAX_MEMBERS = 2_000;

/** Has members checked whom logs have named, and deletes what is done. */
@Injectable()
export class TransferCheckSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly outbox: OutboxService,
    private readonly config: TransferWatcherConfig,
    private readonly metrics: TransferMetrics,
  ) {
    const tasks = [
      { name: 'check members of transfers', sweep: () => this.enqueueDue() },
      { name: 'delete done checks of transfers', sweep: () => this.deleteDone() },
    ];
    super(context, tasks, SECOND_MS);
  }

  private async enqueueDue(): Promise<boolean> {
    const members = await this.database.transaction(async (manager) => {
      const due = await takeDueMembers(manager, MAX_MEMBERS, this.config.TRANSFER_CHECK_INTERVAL_MS);
      const jobs = toJobs(due);
      await this.outbox.add(
        manager,
        memberChecksQueue,
        jobs.map(({ job }) => job),
      );
      const ids = jobs.flatMap(({ job, checks }) => checks.map((id) => ({ id, jobId: job.id })));
      if (ids.length > 0) await storeJobIds(manager, ids);
      return due;
    });
    for (const { chainId } of members) this.metrics.recordMember(chainId);
    return members.length === MAX_MEMBERS;
  }

  private async deleteDone(): Promise<boolean> {
    const deleted = await deleteDoneChecks(this.database, MAX_SWEEP_ROWS);
    const unpolled = await deleteOldPolledContracts(this.database, MAX_SWEEP_ROWS);
    const released = await releaseLostChecks(this.database, MAX_SWEEP_ROWS);
    return Math.max(deleted, unpolled, released) === MAX_SWEEP_ROWS;
  }
}

/** Jobs of the members of each community, who are checked together, with the ids of their checks. */
function toJobs(members: readonly DueMember[]) {
  const byCommunity = new Map<string, Map<string, bigint[]>>();
  for (const { id, communityId, userId } of members) {
    const users = byCommunity.get(communityId) ?? new Map<string, bigint[]>();
    byCommunity.set(communityId, users.set(userId, [...(users.get(userId) ?? []), id]));
  }
  return [...byCommunity].flatMap(([communityId, checksByUser]) => {
    const users = [...checksByUser];
    return Array.from({ length: Math.ceil(users.length / MAX_MEMBERS_PER_CHECK) }, (_, index) => {
      const checked = users.slice(index * MAX_MEMBERS_PER_CHECK, (index + 1) * MAX_MEMBERS_PER_CHECK);
      const userIds = checked.map(([userId]) => userId);
      return {
        job: { version: 1 as const, id: randomUUID(), communityId, userIds },
        checks: checked.flatMap(([, ids]) => ids),
      };
    });
  });
}
