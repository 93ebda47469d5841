import { roleRules } from '@app/dto';
import { RetryLaterError } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { isIdentityUnavailable } from '../../../clients/identity-client.js';
import { BalanceCheckMetrics } from '../balance-check-metrics.js';
import { BalanceCheckConfig } from '../balance-check.config.js';
import { hasRetryableRole, MemberPageWriter } from './member-page-writer.js';
import { MemberPageReader, type EvaluatedPage, type TurnRules } from './member-page-reader.js';
import { RuleCostService } from './rule-cost.service.js';
import { RunningBalanceCheckRepository } from './running-balance-check.repository.js';
import type { RunningBalanceCheck } from './running-balance-check.js';

const MAX_RETRY_DELAY_MS = 60_000;

/** Milliseconds until nodes that did not answer are asked again: twice as long each time, up to a minute. */
export const computeRetryDelayMs = (firstMs: number, retries: number): number =>
  Math.min(MAX_RETRY_DELAY_MS, firstMs * 2 ** Math.min(retries, 16));

/** After as many pages, or as long, it is the next community's turn. */
const MAX_PAGES_PER_TURN = 40;
const MAX_TURN_MS = 30_000;
const IDENTITY_RETRY_DELAY_MS = 5_000;

/** `over`: there is more to do, in the next turn. `left`: somebody else has the check, or it is done. */
export type TurnOutcome = 'over' | 'left';

/** Looks at the next members of a check, page by page; while one page is stored the next is read. */
@Injectable()
export class BalanceCheckTurnService {
  private readonly leaving = new AbortController();

  constructor(
    private readonly config: BalanceCheckConfig,
    private readonly context: ServiceContext,
    private readonly running: RunningBalanceCheckRepository,
    private readonly costs: RuleCostService,
    private readonly reader: MemberPageReader,
    private readonly store: MemberPageWriter,
    private readonly metrics: BalanceCheckMetrics,
  ) {
    // A turn takes longer than an app that is told to end may: another instance goes on from the last page.
    context.readiness.onDrain(() => {
      this.leaving.abort();
    });
  }

  /** @throws RetryLater to go on later at the same place */
  async run(check: RunningBalanceCheck): Promise<TurnOutcome> {
    if (check.rulesRevision !== check.currentRevision) return this.beginAgain(check);
    const { success, data: rules, error } = roleRules.safeParse(check.rules);
    if (success) return this.runPages(check, { rules, cost: await this.costs.estimate(rules) });
    this.context.logger.error({ checkId: check.id, err: error }, 'the rules cannot be read any more');
    await this.running.abort(check);
    return 'left';
  }

  /** In a turn of its own: who changes rules again and again must not keep others waiting. */
  private async beginAgain(check: RunningBalanceCheck): Promise<TurnOutcome> {
    return (await this.running.restart(check)) ? 'over' : 'left';
  }

  private async runPages(begin: RunningBalanceCheck, rules: TurnRules): Promise<TurnOutcome> {
    const endsAt = performance.now() + MAX_TURN_MS;
    let check = begin;
    let ahead = this.read(check, rules);
    for (let pages = 1; ; pages += 1) {
      const page = await this.arrived(check, ahead);
      if (!page) return this.beginAgain(check);
      const isGivenUp = page.verdicts.some(hasRetryableRole);
      if (isGivenUp) await this.retryLater(check);
      const endsTurn = !page.isLast && (pages === MAX_PAGES_PER_TURN || performance.now() >= endsAt);
      const next = {
        ...check,
        after: page.end ?? check.after,
        retries: isGivenUp ? check.retries : Math.max(0, check.retries - 1),
      };
      if (!page.isLast && !endsTurn) ahead = this.read(next, rules);
      const stored = await this.store.write(check, page, { isGivenUp, endsTurn });
      if (stored.kind === 'rules_changed') return this.beginAgain(check);
      if (stored.kind === 'overtaken') return 'left';
      this.metrics.recordPage(page.members, stored);
      if (page.isLast) await this.running.scheduleEarlierAfterFailures(check);
      if (page.isLast) return 'left';
      if (endsTurn) return 'over';
      if (this.leaving.signal.aborted) throw new RetryLaterError(0);
      check = next;
    }
  }

  /** May be left behind unread. */
  private read(check: RunningBalanceCheck, rules: TurnRules): Promise<EvaluatedPage | undefined> {
    const page = this.reader.read(check, rules, this.leaving.signal);
    page.catch(() => undefined); // told to whoever awaits it
    return page;
  }

  private async arrived(
    check: RunningBalanceCheck,
    page: Promise<EvaluatedPage | undefined>,
  ): Promise<EvaluatedPage | undefined> {
    try {
      return await page;
    } catch (error) {
      if (!isIdentityUnavailable(error)) throw error;
      // Nobody can be told anything, however long it takes: no reason to give up on members.
      await this.running.postpone(check, IDENTITY_RETRY_DELAY_MS, false);
      throw new RetryLaterError(IDENTITY_RETRY_DELAY_MS);
    }
  }

  /** @throws RetryLater while nodes that did not answer may still come back */
  private async retryLater(check: RunningBalanceCheck): Promise<void> {
    if (this.leaving.signal.aborted) throw new RetryLaterError(0);
    const { BALANCE_CHECK_RETRIES, BALANCE_CHECK_RETRY_AFTER_MS } = this.config;
    if (check.retries >= BALANCE_CHECK_RETRIES) return;
    const delayMs = computeRetryDelayMs(BALANCE_CHECK_RETRY_AFTER_MS, check.retries);
    await this.running.postpone(check, delayMs, true);
    this.metrics.recordPostponement();
    throw new RetryLaterError(delayMs);
  }
}
