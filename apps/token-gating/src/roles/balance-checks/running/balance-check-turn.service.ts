import { addJitter, MINUTE_MS } from '@app/common';
import { Database } from '@app/database';
import { storedRoleRules } from '@app/dto';
import { RetryLaterError } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { SweepConfig } from '../../../database/sweep.config.js';
import { isIdentityUnavailable } from '../../../clients/identity-client.js';
import { hasRetryableRole } from '../../evaluation/member-verdicts.js';
import { BalanceCheckMetrics } from '../balance-check-metrics.js';
import { BalanceCheckConfig } from '../balance-check.config.js';
import {
  abortCheck,
  postponeCheck,
  restartCheck,
  type RunningBalanceCheck,
  scheduleEarlierAfterFailures,
} from '../balance-checks.queries.js';
import {
  type EvaluatedPage,
  MemberPageReader,
  type TurnRules,
  RuleCostService,
} from './member-page-reader.js';
import { MemberPageWriter } from './member-page-writer.js';

const MAX_RETRY_DELAY_MS = MINUTE_MS;

/** Exponential backoff, up to a minute and a half with its jitter. */
const computeRetryDelayMs = (firstMs: number, retries: number): number =>
  addJitter(Math.min(MAX_RETRY_DELAY_MS, firstMs * 2 ** Math.min(retries, 16)));

/** A turn ends after this many pages or this time, so that checks of other communities run. */
const MAX_PAGES_PER_TURN = 40;
const MAX_TURN_MS = 30_000;
const IDENTITY_RETRY_DELAY_MS = 5_000;

/** `more`: the check continues in another turn. `finished`: it is done, or another worker has moved it. */
type TurnOutcome = 'more' | 'finished';

/** Checks the next members of a community, page by page. Reads the next page while one is stored. */
@Injectable()
export class BalanceCheckTurnService {
  private readonly draining = new AbortController();

  constructor(
    private readonly config: BalanceCheckConfig,
    private readonly sweepConfig: SweepConfig,
    private readonly context: ServiceContext,
    private readonly database: Database,
    private readonly costs: RuleCostService,
    private readonly reader: MemberPageReader,
    private readonly writer: MemberPageWriter,
    private readonly metrics: BalanceCheckMetrics,
  ) {
    // A turn may take longer than the shutdown grace period; another instance continues after the last stored page.
    context.readiness.onDrain(() => {
      this.draining.abort();
    });
  }

  /** @throws RetryLaterError to continue later with the same page */
  async run(check: RunningBalanceCheck): Promise<TurnOutcome> {
    if (check.rulesRevision !== check.currentRevision) return this.restart(check);
    const { success, data: rules, error } = storedRoleRules.safeParse(check.rules);
    if (success)
      return this.runPages(check, { rules, cost: await this.costs.estimate(rules, check.ownerId) });
    this.context.logger.error({ checkId: check.id, err: error }, 'stored rules cannot be parsed');
    await this.database.transaction((manager) => abortCheck(manager, check));
    return 'finished';
  }

  /** Continues in another turn, so that a community whose rules change often does not delay others. */
  private async restart(check: RunningBalanceCheck): Promise<TurnOutcome> {
    const isRestarted = await restartCheck(this.database, check, this.sweepConfig.SWEEP_AFTER_MS);
    return isRestarted ? 'more' : 'finished';
  }

  private async runPages(first: RunningBalanceCheck, rules: TurnRules): Promise<TurnOutcome> {
    const endsAtMs = performance.now() + MAX_TURN_MS;
    let check = first;
    let pendingPage = this.startReading(check, rules);
    for (let pages = 1; ; pages += 1) {
      const page = await this.awaitPage(check, pendingPage);
      if (!page) return this.restart(check);
      const hasGivenUp = page.verdicts.some(hasRetryableRole);
      if (hasGivenUp) await this.retryLater(check);
      const endsTurn = !page.isLast && (pages === MAX_PAGES_PER_TURN || performance.now() >= endsAtMs);
      const next = {
        ...check,
        after: page.end ?? check.after,
        retries: hasGivenUp ? check.retries : Math.max(0, check.retries - 1),
      };
      if (!page.isLast && !endsTurn) pendingPage = this.startReading(next, rules);
      const result = await this.writer.write(check, page, { hasGivenUp, endsTurn });
      if (result.kind === 'rules_changed') return this.restart(check);
      if (result.kind === 'superseded') return 'finished';
      this.metrics.recordPage(page.members.length, result);
      if (page.isLast) await scheduleEarlierAfterFailures(this.database, check.id);
      if (page.isLast) return 'finished';
      if (endsTurn) return 'more';
      if (this.draining.signal.aborted) throw new RetryLaterError(0);
      check = next;
    }
  }

  /** The page may never be awaited, so its rejection must not be unhandled. */
  private startReading(check: RunningBalanceCheck, rules: TurnRules): Promise<EvaluatedPage | undefined> {
    const page = this.reader.read(check, rules, this.draining.signal);
    page.catch(() => undefined);
    return page;
  }

  /** @throws RetryLaterError while identity is unavailable, without counting a retry */
  private async awaitPage(
    check: RunningBalanceCheck,
    page: Promise<EvaluatedPage | undefined>,
  ): Promise<EvaluatedPage | undefined> {
    try {
      return await page;
    } catch (error) {
      if (!isIdentityUnavailable(error)) throw error;
      await this.postpone(check, IDENTITY_RETRY_DELAY_MS, false);
      throw new RetryLaterError(addJitter(IDENTITY_RETRY_DELAY_MS));
    }
  }

  /** Returns where the retries are used up. @throws RetryLaterError otherwise */
  private async retryLater(check: RunningBalanceCheck): Promise<void> {
    if (this.draining.signal.aborted) throw new RetryLaterError(0);
    const { BALANCE_CHECK_RETRIES, BALANCE_CHECK_RETRY_AFTER_MS } = this.config;
    if (check.retries >= BALANCE_CHECK_RETRIES) return;
    const delayMs = computeRetryDelayMs(BALANCE_CHECK_RETRY_AFTER_MS, check.retries);
    await this.postpone(check, delayMs, true);
    this.metrics.recordPostponement();
    throw new RetryLaterError(delayMs);
  }

  private async postpone(check: RunningBalanceCheck, delayMs: number, countsAsRetry: boolean): Promise<void> {
    const sweepDelayMs = delayMs + this.sweepConfig.SWEEP_AFTER_MS;
    await postponeCheck(this.database, check, { delayMs: sweepDelayMs, countsAsRetry });
  }
}
