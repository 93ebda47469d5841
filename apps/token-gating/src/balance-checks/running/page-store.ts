import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { StoreRoles } from '../../role-assignments/store-roles.js';
import { isIncomplete } from './incomplete.js';
import { OvertakenMembers } from './overtaken-members.js';
import type { ReadPage } from './page-reader.js';
import { RunningBalanceChecks } from './running-balance-checks.js';
import type { RunningCheck } from './running-check.js';

export interface PageEnds {
  /** Nodes did not answer, and are not waited for any longer. */
  readonly isGivenUp: boolean;
  readonly endsTurn: boolean;
}

export type Stored =
  | { readonly kind: 'stored'; readonly changed: number; readonly failed: number }
  | { readonly kind: 'rules_changed' }
  | { readonly kind: 'overtaken' };

/** Undoes a transaction whose outcome is not a failure. */
class Undone extends Error {
  constructor(readonly outcome: Stored) {
    super(outcome.kind);
  }
}

/** Stores what was found of a page and moves the check on, both or neither: nothing is told twice, and nothing left out. */
@Injectable()
export class PageStore {
  constructor(
    private readonly database: Database,
    private readonly roles: StoreRoles,
    private readonly running: RunningBalanceChecks,
    private readonly overtaken: OvertakenMembers,
  ) {}

  async store(check: RunningCheck, page: ReadPage, ends: PageEnds): Promise<Stored> {
    const { communityId, rulesRevision } = check;
    const { readAt, verdicts, members, end, isLast } = page;
    const failed = verdicts.filter(isIncomplete).length;
    try {
      return await this.database.transaction(async (manager): Promise<Stored> => {
        const startedAt = readAt;
        const stored = await this.roles.store(manager, { communityId, rulesRevision, startedAt, verdicts });
        if (stored.outcome !== 'stored') throw new Undone({ kind: 'rules_changed' });
        const changed = stored.changes;
        await this.overtaken.checkAgain(manager, communityId, stored.overtaken);
        const progress = { ...ends, members, changed, failed, end, endsCheck: isLast };
        if (!(await this.running.advance(manager, check, progress))) throw new Undone({ kind: 'overtaken' });
        return { kind: 'stored', changed, failed };
      });
    } catch (error) {
      if (error instanceof Undone) return error.outcome;
      throw error;
    }
  }
}
