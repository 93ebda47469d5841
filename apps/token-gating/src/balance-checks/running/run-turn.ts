import { roleRules } from '@app/dto';
import { RetryLater } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { isIdentityAway } from '../../identity/identity-away.js';
import { BalanceCheckMetrics } from '../balance-check-metrics.js';
import { BalanceCheckConfig } from '../balance-check.config.js';
import { isTransient } from './incomplete.js';
import { PageReader, type ReadPage, type TurnRules } from './page-reader.js';
import { PageStore } from './page-store.js';
import { retryDelay } from './retry-delay.js';
import { RuleCosts } from './rule-costs.js';
import { RunningBalanceChecks } from './running-balance-checks.js';
import type { RunningCheck } from './running-check.js';

/** After as many pages, or as long, it is the next community's turn. */
const PAGES = 40;
const TURN_MS = 30_000;
const IDENTITY_AWAY_MS = 5_000;

/** `over`: there is more to do, in the next turn. `left`: somebody else has the check, or it is done. */
export type TurnOutcome = 'over' | 'left';

/** Looks at the next members of a check, page by page; while one page is stored the next is read. */
@Injectable()
export class RunTurn {
  private readonly leaving = new AbortController();

  constructor(
    private readonly config: BalanceCheckConfig,
    private readonly context: ServiceContext,
    private readonly running: RunningBalanceChecks,
    private readonly costs: RuleCosts,
    private readonly reader: PageReader,
    private readonly store: PageStore,
    private readonly metrics: BalanceCheckMetrics,
  ) {
    // A turn takes longer than an app that is told to end may: another instance goes on from the last page.
    context.readiness.onDrain(() => {
      this.leaving.abort();
    });
  }

  /** @throws RetryLater to go on later at the same place */
  async run(check: RunningCheck): Promise<TurnOutcome> {
    if (check.rulesRevision !== check.currentRevision) return this.beginAgain(check);
    const { success, data: rules, error } = roleRules.safeParse(check.rules);
    if (success) return this.runPages(check, { rules, cost: await this.costs.of(rules) });
    this.context.logger.error({ checkId: check.id, err: error }, 'the rules cannot be read any more');
    await this.running.giveUp(check);
    return 'left';
  }

  /** In a turn of its own: who changes rules again and again must not keep others waiting. */
  private async beginAgain(check: RunningCheck): Promise<TurnOutcome> {
    return (await this.running.beginAgain(check)) ? 'over' : 'left';
  }

  private async runPages(begin: RunningCheck, rules: TurnRules): Promise<TurnOutcome> {
    const endsAt = performance.now() + TURN_MS;
    let check = begin;
    let ahead = this.read(check, rules);
    for (let pages = 1; ; pages += 1) {
      const page = await this.arrived(check, ahead);
      if (!page) return this.beginAgain(check);
      const isGivenUp = page.verdicts.some(isTransient);
      if (isGivenUp) await this.retryLater(check);
      const endsTurn = !page.isLast && (pages === PAGES || performance.now() >= endsAt);
      const next = {
        ...check,
        after: page.end ?? check.after,
        retries: isGivenUp ? check.retries : Math.max(0, check.retries - 1),
      };
      if (!page.isLast && !endsTurn) ahead = this.read(next, rules);
      const stored = await this.store.store(check, page, { isGivenUp, endsTurn });
      if (stored.kind === 'rules_changed') return this.beginAgain(check);
      if (stored.kind === 'overtaken') return 'left';
      this.metrics.stored(page.members, stored);
      if (page.isLast) await this.running.comeSoonerAfterFailures(check);
      if (page.isLast) return 'left';
      if (endsTurn) return 'over';
      if (this.leaving.signal.aborted) throw new RetryLater(0);
      check = next;
    }
  }

  /** May be left behind unread. */
  private read(check: RunningCheck, rules: TurnRules): Promise<ReadPage | undefined> {
    const page = this.reader.read(check, rules, this.leaving.signal);
    page.catch(() => undefined); // told to whoever awaits it
    return page;
  }

  private async arrived(
    check: RunningCheck,
    page: Promise<ReadPage | undefined>,
  ): Promise<ReadPage | undefined> {
    try {
      return await page;
    } catch (error) {
      if (!isIdentityAway(error)) throw error;
      // Nobody can be told anything, however long it takes: no reason to give up on members.
      await this.running.postpone(check, IDENTITY_AWAY_MS, false);
      throw new RetryLater(IDENTITY_AWAY_MS);
    }
  }

  /** @throws RetryLater while nodes that did not answer may still come back */
  private async retryLater(check: RunningCheck): Promise<void> {
    if (this.leaving.signal.aborted) throw new RetryLater(0);
    const { BALANCE_CHECK_RETRIES, BALANCE_CHECK_RETRY_AFTER_MS } = this.config;
    if (check.retries >= BALANCE_CHECK_RETRIES) return;
    const delayMs = retryDelay(BALANCE_CHECK_RETRY_AFTER_MS, check.retries);
    await this.running.postpone(check, delayMs, true);
    this.metrics.postponed();
    throw new RetryLater(delayMs);
  }
}
