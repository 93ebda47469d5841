import { Database } from '@app/database';
import { roleRules } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { EvaluateMembers } from '../evaluation/evaluate-members.js';
import { fetchWallets } from '../evaluation/load-wallets.js';
import { IdentityClient } from '../identity/identity-client.js';
import { StoreRoles } from '../role-assignments/store-roles.js';

/** Those of the users that are members, the rules, and the time before anything about their wallets is known. */
const LOAD = `
  SELECT c.rules, c.rules_revision AS "rulesRevision", clock_timestamp()::text AS "startedAt",
    array(SELECT m.user_id FROM token_gating.community_members m
      WHERE m.community_id = c.id AND m.user_id = ANY($2::text[])) AS "userIds"
  FROM token_gating.communities c WHERE c.id = $1`;

const loaded = z
  .array(
    z.object({
      rules: z.array(z.unknown()),
      rulesRevision: z.int(),
      startedAt: z.string(),
      userIds: z.array(z.string()),
    }),
  )
  .max(1);

/**
 * - `done`: every role is stored, or there is nobody to store one for
 * - `undetermined`: some could not be told, and asking again may tell
 * - `rules_changed`: nothing is stored, the rules are others by now
 * - `overtaken`: of some nothing is stored, because an evaluation that began later has stored something, maybe less
 */
export type CheckedMembers = 'done' | 'undetermined' | 'rules_changed' | 'overtaken';

/** Evaluates the roles of some members of a community now, and stores them. */
@Injectable()
export class CheckMembers {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly evaluation: EvaluateMembers,
    private readonly storing: StoreRoles,
  ) {}

  /** @throws AppError 503 while the database or identity is away */
  async check(communityId: string, userIds: readonly string[]): Promise<CheckedMembers> {
    const [community] = loaded.parse(await this.database.query(LOAD, [communityId, userIds]));
    if (!community || community.userIds.length === 0) return 'done';
    const { rules, rulesRevision, startedAt } = community;
    const members = await fetchWallets(community.userIds, this.identity);
    const verdicts = await this.evaluation.evaluate(roleRules.parse(rules), members, { background: true });
    const stored = await this.database.transaction((manager) =>
      this.storing.store(manager, { communityId, rulesRevision, startedAt, verdicts }),
    );
    if (stored.outcome === 'rules_changed') return 'rules_changed';
    if (stored.overtaken.length > 0) return 'overtaken';
    const mayBeTold = verdicts.some(({ roles }) =>
      roles.some(({ errors }) => errors.some(({ retryable }) => retryable)),
    );
    return mayBeTold ? 'undetermined' : 'done';
  }
}
