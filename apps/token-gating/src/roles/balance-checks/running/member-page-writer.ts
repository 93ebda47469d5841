import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { RoleAssignmentsService } from '../../assignments/role-assignments.service.js';
import { MemberRecheckService } from './member-recheck.service.js';
import type { EvaluatedPage } from './member-page-reader.js';
import { RunningBalanceCheckRepository } from './running-balance-check.repository.js';
import type { RunningBalanceCheck } from './running-balance-check.js';
import type { MemberVerdicts } from '../../evaluation/member-evaluation.service.js';

/** Whether a member has roles that could not be told. */
export const hasUndeterminedRole = ({ roles }: MemberVerdicts): boolean =>
  roles.some(({ kind }) => kind === 'undetermined');

/** Whether asking again may tell them. */
export const hasRetryableRole = ({ roles }: MemberVerdicts): boolean =>
  roles.some(({ kind, errors }) => kind === 'undetermined' && errors.some(({ retryable }) => retryable));

export interface PageCompletion {
  /** Nodes did not answer, and are not waited for any longer. */
  readonly isGivenUp: boolean;
  readonly endsTurn: boolean;
}

export type PageWriteResult =
  | { readonly kind: 'stored'; readonly changed: number; readonly failed: number }
  | { readonly kind: 'rules_changed' }
  | { readonly kind: 'overtaken' };

/** Undoes a transaction whose outcome is not a failure. */
class RollbackError extends Error {
  constructor(readonly outcome: PageWriteResult) {
    super(outcome.kind);
  }
}

/** Stores what was found of a page and moves the check on, both or neither: nothing is told twice, and nothing left out. */
@Injectable()
export class MemberPageWriter {
  constructor(
    private readonly database: Database,
    private readonly roles: RoleAssignmentsService,
    private readonly running: RunningBalanceCheckRepository,
    private readonly overtaken: MemberRecheckService,
  ) {}

  async write(
    check: RunningBalanceCheck,
    page: EvaluatedPage,
    ends: PageCompletion,
  ): Promise<PageWriteResult> {
    const { communityId, rulesRevision } = check;
    const { readAt, verdicts, members, end, isLast } = page;
    const failed = verdicts.filter(hasUndeterminedRole).length;
    try {
      return await this.database.transaction(async (manager): Promise<PageWriteResult> => {
        const startedAt = readAt;
        const stored = await this.roles.store(manager, { communityId, rulesRevision, startedAt, verdicts });
        if (stored.outcome !== 'stored') throw new RollbackError({ kind: 'rules_changed' });
        const changed = stored.changes;
        await this.overtaken.enqueue(manager, communityId, stored.overtaken);
        const progress = { ...ends, members, changed, failed, end, endsCheck: isLast };
        if (!(await this.running.advance(manager, check, progress)))
          throw new RollbackError({ kind: 'overtaken' });
        return { kind: 'stored', changed, failed };
      });
    } catch (error) {
      if (error instanceof RollbackError) return error.outcome;
      throw error;
    }
  }
}
