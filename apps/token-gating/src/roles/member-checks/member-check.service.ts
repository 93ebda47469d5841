import { Database } from '@app/database';
import { type RoleRule, roleRules } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MemberEvaluationService, type MemberVerdicts } from '../evaluation/member-evaluation.service.js';
import { loadMemberWallets } from '../evaluation/load-member-wallets.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { computeMemberBatchSize } from '../assignments/to-assignment-batches.js';
import { RoleAssignmentsService } from '../assignments/role-assignments.service.js';
import { type MembersToCheck, loadMembersToCheck } from './load-members-to-check.js';

/**
 * - `done`: every role is stored, or there is nobody to store one for
 * - `undetermined`: some could not be told, and asking again may tell
 * - `rules_changed`: nothing more is stored, the rules are others by now
 * - `overtaken`: of some nothing is stored, because an evaluation that began later has stored something, maybe less
 */
export type MemberCheckOutcome = 'done' | 'undetermined' | 'rules_changed' | 'overtaken';

/** What became of members, the best first: what is worse decides when to ask again. */
const OUTCOMES: readonly MemberCheckOutcome[] = ['done', 'undetermined', 'overtaken', 'rules_changed'];

/** Evaluates the roles of some members of a community now, and stores them. */
@Injectable()
export class MemberCheckService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly evaluation: MemberEvaluationService,
    private readonly storing: RoleAssignmentsService,
    private readonly context: ServiceContext,
  ) {}

  /**
   * A slice after the other, each as large as one statement can store.
   * @param signal what is not read when it ends is undetermined
   * @throws AppError 503 while the database or identity is away
   */
  async check(
    communityId: string,
    userIds: readonly string[],
    signal: AbortSignal,
  ): Promise<MemberCheckOutcome> {
    let worst: MemberCheckOutcome = 'done';
    let open = userIds;
    while (open.length > 0) {
      const loaded = await loadMembersToCheck(this.database, communityId, open);
      const rules = loaded && this.readRules(communityId, loaded);
      if (!rules) return worst;
      const slice = loaded.userIds.slice(0, computeMemberBatchSize(rules));
      open = loaded.userIds.slice(slice.length);
      const checked = await this.checkSlice(communityId, { ...loaded, userIds: slice }, rules, signal);
      if (OUTCOMES.indexOf(checked) > OUTCOMES.indexOf(worst)) worst = checked;
      if (worst === 'rules_changed' || signal.aborted) return worst;
    }
    return worst;
  }

  private async checkSlice(
    communityId: string,
    { userIds, rulesRevision, startedAt }: MembersToCheck,
    rules: readonly RoleRule[],
    signal: AbortSignal,
  ): Promise<MemberCheckOutcome> {
    if (userIds.length === 0) return 'done';
    const members = await loadMemberWallets(userIds, this.identity);
    const verdicts = await this.evaluation.evaluate(rules, members, { background: true, signal });
    const stored = await this.database.transaction((manager) =>
      this.storing.store(manager, { communityId, rulesRevision, startedAt, verdicts }),
    );
    if (stored.outcome === 'rules_changed') return 'rules_changed';
    if (stored.overtaken.length > 0) return 'overtaken';
    return verdicts.some(isRetryable) ? 'undetermined' : 'done';
  }

  /** Undefined for rules of another build that this one cannot read: nothing is told by them, and nothing changes. */
  private readRules(communityId: string, { rules }: MembersToCheck): readonly RoleRule[] | undefined {
    const { data, error } = roleRules.safeParse(rules);
    if (error) this.context.logger.error({ communityId, err: error }, 'the rules cannot be read any more');
    return data;
  }
}

/** Whether asking again may tell what could not be told. */
const isRetryable = ({ roles }: MemberVerdicts): boolean =>
  roles.some(({ errors }) => errors.some(({ retryable }) => retryable));
