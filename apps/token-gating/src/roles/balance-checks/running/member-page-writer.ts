import { Database } from '@app/database';
import { OutboxService } from '@app/outbox';
import { MAX_MEMBERS_PER_CHECK, memberChecksQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { SweepConfig } from '../../../database/sweep.config.js';
import { RoleAssignmentsService } from '../../assignments/role-assignments.service.js';
import { hasUndeterminedRole } from '../../evaluation/member-verdicts.js';
import { MemberAccountsService } from '../../transfers/member-accounts.service.js';
import { advanceCheck, type PageProgress, type RunningBalanceCheck } from '../balance-checks.queries.js';
import type { EvaluatedPage } from './member-page-reader.js';

/** Checks members again whose page was superseded: the later evaluation may have determined fewer roles. */
@Injectable()
export class MemberRecheckService {
  constructor(private readonly outbox: OutboxService) {}

  /** Adds the jobs within the caller's transaction. */
  async enqueue(manager: EntityManager, communityId: string, userIds: readonly string[]): Promise<void> {
    const jobs = [];
    for (let start = 0; start < userIds.length; start += MAX_MEMBERS_PER_CHECK)
      jobs.push({
        version: 1 as const,
        id: randomUUID(),
        communityId,
        userIds: userIds.slice(start, start + MAX_MEMBERS_PER_CHECK),
      });
    await this.outbox.add(manager, memberChecksQueue, jobs);
  }
}

export type PageCompletion = Pick<PageProgress, 'hasGivenUp' | 'endsTurn'>;

export type PageWriteResult =
  | { readonly kind: 'stored'; readonly changed: number; readonly failed: number }
  | { readonly kind: 'rules_changed' }
  | { readonly kind: 'superseded' };

/** Rolls a transaction back with an outcome that is not an error. */
class RollbackError extends Error {
  constructor(readonly outcome: PageWriteResult) {
    super(outcome.kind);
  }
}

/** Stores the roles of a page and moves the check past it in one transaction, so that each page is stored exactly once. */
@Injectable()
export class MemberPageWriter {
  constructor(
    private readonly database: Database,
    private readonly assignments: RoleAssignmentsService,
    private readonly accounts: MemberAccountsService,
    private readonly sweepConfig: SweepConfig,
    private readonly rechecks: MemberRecheckService,
  ) {}

  async write(
    check: RunningBalanceCheck,
    { startedAt, verdicts, members, rules, end, isLast }: EvaluatedPage,
    completion: PageCompletion,
  ): Promise<PageWriteResult> {
    const { communityId, rulesRevision } = check;
    const accounts = this.accounts.hash(rules, members);
    const failed = verdicts.filter(hasUndeterminedRole).length;
    try {
      return await this.database.transaction(async (manager): Promise<PageWriteResult> => {
        const evaluation = { communityId, rulesRevision, startedAt, verdicts, accounts };
        const stored = await this.assignments.store(manager, evaluation);
        if (stored.outcome !== 'stored') throw new RollbackError({ kind: 'rules_changed' });
        const changed = stored.changes;
        await this.rechecks.enqueue(manager, communityId, stored.superseded);
        const progress = { ...completion, members: members.length, changed, failed, end, endsCheck: isLast };
        if (!(await advanceCheck(manager, check, progress, this.sweepConfig.SWEEP_AFTER_MS)))
          throw new RollbackError({ kind: 'superseded' });
        return { kind: 'stored', changed, failed };
      });
    } catch (error) {
      if (error instanceof RollbackError) return error.outcome;
      throw error;
    }
  }
}
