import { queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityEventPublisher } from '../../communities/events/community-event.publisher.js';
import { createCommunityEvent } from '../../communities/events/create-community-event.js';
import type { MemberVerdicts } from '../evaluation/member-evaluation.service.js';
import {
  ASSIGN_ROLES,
  assignmentChange,
  type AssignmentChange,
  CLAIM_MEMBERS,
  presentMember,
} from './role-assignments.queries.js';
import { toAssignmentBatches } from './to-assignment-batches.js';
import { lockAssignmentsShared } from '../../communities/roles/role-assignment-lock.js';

const FIND_RULES_REVISION =
  'SELECT rules_revision AS "rulesRevision" FROM token_gating.communities WHERE id = $1';

const revisions = z.array(z.object({ rulesRevision: z.int() })).max(1);
const presentMembers = z.array(presentMember);
const changes = z.array(assignmentChange);

export interface RoleEvaluation {
  readonly communityId: string;
  /** Of the rules that were judged by. */
  readonly rulesRevision: number;
  /** Database time before the first wallet was looked up: `clock_timestamp()::text`. */
  readonly startedAt: string;
  readonly verdicts: readonly MemberVerdicts[];
}

export type RoleStoreResult =
  | {
      readonly outcome: 'stored';
      /** Roles granted and revoked. */
      readonly changes: number;
      readonly changedMembers: number;
      /**
       * Members of whom nothing is stored because something later is. That may have been less: whoever must be sure of
       * their roles evaluates them anew.
       */
      readonly overtaken: readonly string[];
      /** Those who are members no more. */
      readonly left: readonly string[];
    }
  /** Nothing is stored: the community is judged by other rules by now, or is gone. */
  | { readonly outcome: 'rules_changed' };

/**
 * Makes role assignments what an evaluation found, and tells of each difference in an event. What is undetermined stays
 * as it is; what a later evaluation has stored, too.
 */
@Injectable()
export class RoleAssignmentsService {
  constructor(private readonly events: CommunityEventPublisher) {}

  /** Four statements when nothing changes, within the caller's transaction. */
  async store(manager: EntityManager, found: RoleEvaluation): Promise<RoleStoreResult> {
    const { communityId, rulesRevision, verdicts } = found;
    await lockAssignmentsShared(manager, communityId);
    const [rules] = revisions.parse(await queryRows(manager, FIND_RULES_REVISION, [communityId]));
    if (rules?.rulesRevision !== rulesRevision) return { outcome: 'rules_changed' };
    const present = await this.claim(manager, found);
    const changed: AssignmentChange[] = [];
    for (const { userIds, granted, unknown } of toAssignmentBatches(
      verdicts.filter(({ userId }) => present.get(userId)?.isOvertaken === false),
    )) {
      const rows = await queryRows(manager, ASSIGN_ROLES, [
        communityId,
        userIds,
        granted.userIds,
        granted.roleIds,
        unknown.userIds,
        unknown.roleIds,
      ]);
      for (const row of changes.parse(rows)) changed.push(row);
    }
    await this.events.publish(
      manager,
      changed.map((change) => createCommunityEvent({ ...change, communityId })),
    );
    const changedMembers = new Set(changed.map(({ userId }) => userId)).size;
    const overtaken = verdicts.flatMap(({ userId }) => (present.get(userId)?.isOvertaken ? [userId] : []));
    const left = verdicts.flatMap(({ userId }) => (present.has(userId) ? [] : [userId]));
    return { outcome: 'stored', changes: changed.length, changedMembers, overtaken, left };
  }

  /** @returns those who are still members */
  private async claim(
    manager: EntityManager,
    { communityId, startedAt, verdicts }: RoleEvaluation,
  ): Promise<ReadonlyMap<string, z.infer<typeof presentMember>>> {
    const userIds = verdicts.map(({ userId }) => userId);
    const told = verdicts.filter(hasDeterminedRole).map(({ userId }) => userId);
    const rows = await queryRows(manager, CLAIM_MEMBERS, [communityId, userIds, told, startedAt]);
    return new Map(presentMembers.parse(rows).map((member) => [member.userId, member]));
  }
}

/** Whether anything that depends on a member's wallets is known. Roles that no rule names are nobody's at any time. */
const hasDeterminedRole = ({ roles }: MemberVerdicts): boolean =>
  roles.length === 0 || roles.some(({ kind }) => kind !== 'undetermined');
