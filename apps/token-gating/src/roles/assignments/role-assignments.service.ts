import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { revokeRoleCredentials } from '../../credential-revocations/revoke-credentials.js';
import { findRulesRevision } from '../../communities/access/communities.queries.js';
import { CommunityEventPublisher } from '../../communities/events/community-event.publisher.js';
import { createCommunityEvent } from '../../communities/events/create-community-event.js';
import { claimMembers, type MemberAccounts } from '../../communities/members/community-members.queries.js';
import {
  type AssignmentChange,
  assignRoles,
  lockAssignmentsShared,
} from '../../communities/roles/role-assignments.queries.js';
import { deleteAnnouncement } from './announced-evaluations.js';
import { hasDeterminedRole, type MemberVerdicts } from '../evaluation/member-verdicts.js';
import { toAssignmentBatches } from './to-assignment-batches.js';

interface RoleEvaluation {
  readonly communityId: string;
  /** The revision of the rules that the verdicts are based on. */
  readonly rulesRevision: number;
  /** Database time before the first wallet was read: `clock_timestamp()::text`. */
  readonly startedAt: string;
  /** The announcement of the evaluation; a page of a balance check has none, because the check is seen to run. */
  readonly announcementId?: string;
  readonly verdicts: readonly MemberVerdicts[];
  /** The accounts of all these members; absent where their rules follow no transfers. */
  readonly accounts?: MemberAccounts | undefined;
}

type RoleStoreResult =
  | {
      readonly outcome: 'stored';
      /** Roles that were granted or revoked. */
      readonly changes: number;
      /**
       * Members whose verdicts are not stored because those of a later evaluation are. The later one may have determined
       * fewer roles, so a caller that needs all of them must evaluate these members again.
       */
      readonly superseded: readonly string[];
      /** Users who are no longer members. */
      readonly departedMemberIds: readonly string[];
    }
  /** Nothing is stored: the rules have changed, the community is deleted, or the announcement has expired. */
  | { readonly outcome: 'rules_changed' };

/**
 * Stores the roles that an evaluation determined, publishes an event for each change, and revokes credentials
 * about lost roles. Undetermined roles and results of
 * later evaluations stay unchanged.
 */
@Injectable()
export class RoleAssignmentsService {
  constructor(private readonly events: CommunityEventPublisher) {}

  /** Runs four statements in the caller's transaction when nothing changes, five for an announced evaluation. */
  async store(manager: EntityManager, evaluation: RoleEvaluation): Promise<RoleStoreResult> {
    const { communityId, rulesRevision, startedAt, announcementId, verdicts, accounts } = evaluation;
    await lockAssignmentsShared(manager, communityId);
    if (announcementId !== undefined && !(await deleteAnnouncement(manager, announcementId)))
      return { outcome: 'rules_changed' };
    if ((await findRulesRevision(manager, communityId)) !== rulesRevision)
      return { outcome: 'rules_changed' };
    const userIds = verdicts.map(({ userId }) => userId);
    const determinedIds = verdicts.filter(hasDeterminedRole).map(({ userId }) => userId);
    const members = await claimMembers(manager, communityId, { userIds, determinedIds, startedAt }, accounts);
    const isSuperseded = new Map(members.map((member) => [member.userId, member.isSuperseded]));
    const changes: AssignmentChange[] = [];
    for (const batch of toAssignmentBatches(
      verdicts.filter(({ userId }) => isSuperseded.get(userId) === false),
    ))
      for (const change of await assignRoles(manager, communityId, batch)) changes.push(change);
    await revokeRoleCredentials(
      manager,
      communityId,
      changes.filter(({ type }) => type === 'role.revoked'),
    );
    await this.events.publish(
      manager,
      changes.map((change) => createCommunityEvent({ ...change, communityId })),
    );
    return {
      outcome: 'stored',
      changes: changes.length,
      superseded: userIds.filter((userId) => isSuperseded.get(userId)),
      departedMemberIds: userIds.filter((userId) => !isSuperseded.has(userId)),
    };
  }
}
