import { Database } from '@app/database';
import { type RoleRule, roleRules } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { EvaluateMembers, type MemberVerdicts } from '../evaluation/evaluate-members.js';
import { fetchWallets } from '../evaluation/load-wallets.js';
import { IdentityClient } from '../identity/identity-client.js';
import { membersAtOnce } from '../role-assignments/members-at-once.js';
import { StoreRoles } from '../role-assignments/store-roles.js';
import { type LoadedMembers, loadMembers } from './load-members.js';

/**
 * - `done`: every role is stored, or there is nobody to store one for
 * - `undetermined`: some could not be told, and asking again may tell
 * - `rules_changed`: nothing more is stored, the rules are others by now
 * - `overtaken`: of some nothing is stored, because an evaluation that began later has stored something, maybe less
 */
export type CheckedMembers = 'done' | 'undetermined' | 'rules_changed' | 'overtaken';

/** What became of members, the best first: what is worse decides when to ask again. */
const OUTCOMES: readonly CheckedMembers[] = ['done', 'undetermined', 'overtaken', 'rules_changed'];

/** Evaluates the roles of some members of a community now, and stores them. */
@Injectable()
export class CheckMembers {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly evaluation: EvaluateMembers,
    private readonly storing: StoreRoles,
    private readonly context: ServiceContext,
  ) {}

  /**
   * A slice after the other, each as large as one statement can store.
   * @param signal what is not read when it ends is undetermined
   * @throws AppError 503 while the database or identity is away
   */
  async check(communityId: string, userIds: readonly string[], signal: AbortSignal): Promise<CheckedMembers> {
    let worst: CheckedMembers = 'done';
    let open = userIds;
    while (open.length > 0) {
      const loaded = await loadMembers(this.database, communityId, open);
      const rules = loaded && this.readRules(communityId, loaded);
      if (!rules) return worst;
      const slice = loaded.userIds.slice(0, membersAtOnce(rules));
      open = loaded.userIds.slice(slice.length);
      const checked = await this.checkSlice(communityId, { ...loaded, userIds: slice }, rules, signal);
      if (OUTCOMES.indexOf(checked) > OUTCOMES.indexOf(worst)) worst = checked;
      if (worst === 'rules_changed' || signal.aborted) return worst;
    }
    return worst;
  }

  private async checkSlice(
    communityId: string,
    { userIds, rulesRevision, startedAt }: LoadedMembers,
    rules: readonly RoleRule[],
    signal: AbortSignal,
  ): Promise<CheckedMembers> {
    if (userIds.length === 0) return 'done';
    const members = await fetchWallets(userIds, this.identity);
    const verdicts = await this.evaluation.evaluate(rules, members, { background: true, signal });
    const stored = await this.database.transaction((manager) =>
      this.storing.store(manager, { communityId, rulesRevision, startedAt, verdicts }),
    );
    if (stored.outcome === 'rules_changed') return 'rules_changed';
    if (stored.overtaken.length > 0) return 'overtaken';
    return verdicts.some(mayBeTold) ? 'undetermined' : 'done';
  }

  /** Undefined for rules of another build that this one cannot read: nothing is told by them, and nothing changes. */
  private readRules(communityId: string, { rules }: LoadedMembers): readonly RoleRule[] | undefined {
    const { data, error } = roleRules.safeParse(rules);
    if (error) this.context.logger.error({ communityId, err: error }, 'the rules cannot be read any more');
    return data;
  }
}

/** Whether asking again may tell what could not be told. */
const mayBeTold = ({ roles }: MemberVerdicts): boolean =>
  roles.some(({ errors }) => errors.some(({ retryable }) => retryable));
