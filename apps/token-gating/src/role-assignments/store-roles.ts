import { rowsOf } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityEvents } from '../community-events/community-events.js';
import { newEvent } from '../community-events/new-event.js';
import type { MemberVerdicts } from '../evaluation/evaluate-members.js';
import { ASSIGN_ROLES, assignmentChange, type AssignmentChange } from './assign-roles.js';
import { pairSlices } from './role-pairs.js';

/** The rules stay what they are until the roles are stored, and so does the list of roles. */
const LOCK_RULES = `
  SELECT rules_revision AS "rulesRevision" FROM token_gating.communities WHERE id = $1 FOR SHARE`;

/** Members that are still there and of whom nothing later is stored. Locked in one order, whoever else stores. */
const CLAIM_MEMBERS = `
  WITH claimed AS (
    SELECT user_id FROM token_gating.community_members
    WHERE community_id = $1 AND user_id = ANY($2::text[]) AND (evaluated_at IS NULL OR evaluated_at <= $3::timestamptz)
    ORDER BY user_id FOR UPDATE
  )
  UPDATE token_gating.community_members AS m SET evaluated_at = $3::timestamptz
  FROM claimed WHERE m.community_id = $1 AND m.user_id = claimed.user_id
  RETURNING m.user_id AS "userId"`;

const revisions = z.array(z.object({ rulesRevision: z.int() })).max(1);
const users = z.array(z.object({ userId: z.string() }));
const changes = z.array(assignmentChange);

export interface EvaluatedRoles {
  readonly communityId: string;
  /** Of the rules that were judged by. */
  readonly rulesRevision: number;
  /** Database time before the first wallet was looked up: `clock_timestamp()::text`. */
  readonly startedAt: string;
  readonly verdicts: readonly MemberVerdicts[];
}

export type StoredRoles =
  | {
      readonly outcome: 'stored';
      /** Roles granted and revoked. */
      readonly changes: number;
      readonly changedMembers: number;
    }
  /** Nothing is stored: the community is judged by other rules by now, or is gone. */
  | { readonly outcome: 'rules_changed' };

/**
 * Makes role assignments what an evaluation found, and tells of each difference in an event. What is undetermined stays
 * as it is; what a later evaluation has stored, too.
 */
@Injectable()
export class StoreRoles {
  constructor(private readonly events: CommunityEvents) {}

  /** Three statements when nothing changes, within the caller's transaction. */
  async store(manager: EntityManager, found: EvaluatedRoles): Promise<StoredRoles> {
    const { communityId, rulesRevision, verdicts } = found;
    const [rules] = revisions.parse(await rowsOf(manager, LOCK_RULES, [communityId]));
    if (rules?.rulesRevision !== rulesRevision) return { outcome: 'rules_changed' };
    const claimed = await this.claim(manager, found);
    const changed: AssignmentChange[] = [];
    for (const { userIds, granted, unknown } of pairSlices(
      verdicts.filter(({ userId }) => claimed.has(userId)),
    )) {
      const rows = await rowsOf(manager, ASSIGN_ROLES, [
        communityId,
        userIds,
        granted.userIds,
        granted.roleIds,
        unknown.userIds,
        unknown.roleIds,
      ]);
      for (const row of changes.parse(rows)) changed.push(row);
    }
    await this.events.emit(
      manager,
      changed.map((change) => newEvent({ ...change, communityId })),
    );
    const changedMembers = new Set(changed.map(({ userId }) => userId)).size;
    return { outcome: 'stored', changes: changed.length, changedMembers };
  }

  private async claim(
    manager: EntityManager,
    { communityId, startedAt, verdicts }: EvaluatedRoles,
  ): Promise<ReadonlySet<string>> {
    const userIds = verdicts.map(({ userId }) => userId);
    const rows = await rowsOf(manager, CLAIM_MEMBERS, [communityId, userIds, startedAt]);
    return new Set(users.parse(rows).map(({ userId }) => userId));
  }
}
