import { Database } from '@app/database';
import { QueueBackendMonitor, balanceChecksQueue, InjectProducer, type Producer } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SweepConfig } from '../../../database/sweep.config.js';
import type { SweepTask } from '@app/service';
import { BalanceCheckConfig } from '../balance-check.config.js';
import { ClientPlansService } from './client-plans.service.js';

/** Few enough for one question to identity: a community has twenty client applications at most. */
const MAX_COMMUNITIES = 20;

/**
 * Takes the communities that are due, for one instance each, and begins their checks in the same statement. Until their
 * plans are known they are due again after the longest interval; spread out, because those that were made together would be
 * due together for ever. A check that runs already notices new rules by itself; right after one that has ended, rules that
 * change again and again have to wait. Where there is nothing to grant or to revoke none is needed.
 */
const CLAIM = `
  WITH due AS (
    SELECT id, (
      SELECT max(created_at) + $4 * interval '1 ms' FROM token_gating.balance_checks b WHERE b.community_id = c.id
    ) AS not_before, EXISTS (
      SELECT FROM token_gating.balance_checks b WHERE b.community_id = c.id AND b.state = 'running'
    ) AS is_running
    FROM token_gating.communities c WHERE next_check_at <= now()
    ORDER BY next_check_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE token_gating.communities c
    SET next_check_at = CASE WHEN due.not_before > now() AND NOT due.is_running THEN due.not_before
      ELSE clock_timestamp() + $2 * (0.9 + 0.2 * random()) * interval '1 ms' END
    FROM due WHERE c.id = due.id
    RETURNING c.id, c.rules, c.rules_revision, c.member_count, due.not_before
  ), begun AS (
    INSERT INTO token_gating.balance_checks (id, community_id, reason, rules_revision, total, next_run_at)
    SELECT gen_random_uuid(), id, 'scheduled', rules_revision, member_count, clock_timestamp() + $3 * interval '1 ms'
    FROM claimed
    WHERE coalesce(not_before <= now(), true) AND member_count > 0 AND (rules <> '[]' OR EXISTS (
      SELECT FROM token_gating.role_assignments a WHERE a.community_id = claimed.id))
    ON CONFLICT (community_id) WHERE state = 'running' DO NOTHING
    RETURNING id, community_id
  )
  SELECT claimed.id, begun.id AS "checkId",
    ARRAY(SELECT client_id FROM token_gating.community_clients k WHERE k.community_id = claimed.id) AS "clientIds"
  FROM claimed LEFT JOIN begun ON begun.community_id = claimed.id`;

/** Sooner and never later: rules may have changed meanwhile, and want a check at once. */
const SCHEDULE_EARLIER = `
  WITH sooner AS (
    SELECT c.id, sooner.ms FROM token_gating.communities c
    JOIN unnest($1::text[], $2::float8[]) AS sooner (id, ms) ON sooner.id = c.id
    ORDER BY c.id FOR NO KEY UPDATE OF c
  )
  UPDATE token_gating.communities c
  SET next_check_at = least(c.next_check_at, clock_timestamp() + sooner.ms * (0.9 + 0.2 * random()) * interval '1 ms')
  FROM sooner WHERE c.id = sooner.id`;

const claims = z.array(
  z.object({ id: z.string(), checkId: z.uuid().nullable(), clientIds: z.array(z.string()) }),
);
type Claim = z.output<typeof claims>[number];

/** Begins the check of every community whose time has come, and says when the next one is. */
@Injectable()
export class ScheduleDueCommunitiesStep implements SweepTask {
  readonly name = 'schedule balance checks';

  constructor(
    private readonly database: Database,
    private readonly config: BalanceCheckConfig,
    private readonly sweeping: SweepConfig,
    private readonly plans: ClientPlansService,
    private readonly watch: QueueBackendMonitor,
    @InjectProducer(balanceChecksQueue) private readonly producer: Producer<typeof balanceChecksQueue>,
  ) {}

  async sweep(): Promise<boolean> {
    if (!this.watch.isAvailable) return false; // they stay due until their jobs have somewhere to go
    const claimed = await this.claim();
    await this.comeSooner(claimed);
    const begun = claimed.flatMap(({ checkId }) => checkId ?? []);
    await this.producer.enqueueMany(begun.map((checkId) => ({ version: 1, checkId, turn: 0 })));
    return claimed.length === MAX_COMMUNITIES;
  }

  private async claim(): Promise<Claim[]> {
    const { free } = this.config.BALANCE_CHECK_INTERVALS_MS;
    const { BALANCE_CHECK_COOLDOWN_MS } = this.config;
    const parameters = [MAX_COMMUNITIES, free, this.sweeping.SWEEP_AFTER_MS, BALANCE_CHECK_COOLDOWN_MS];
    return claims.parse(await this.database.query(CLAIM, parameters));
  }

  private async comeSooner(claimed: readonly Claim[]): Promise<void> {
    const intervals = this.config.BALANCE_CHECK_INTERVALS_MS;
    const plans = await this.plans.loadBestPlans(claimed.map(({ clientIds }) => clientIds));
    const shortest = Math.min(...Object.values(intervals));
    const sooner = claimed.flatMap(({ id }, index) => {
      const plan = plans[index];
      // Rather a check too many than a day without: the next one learns the plan.
      const milliseconds = plan === undefined ? shortest : intervals[plan];
      return milliseconds < intervals.free ? [{ id, milliseconds }] : [];
    });
    if (sooner.length === 0) return;
    await this.database.query(SCHEDULE_EARLIER, [
      sooner.map(({ id }) => id),
      sooner.map(({ milliseconds }) => milliseconds),
    ]);
  }
}
