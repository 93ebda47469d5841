import { type Queryable, queryRows } from '@app/database';
import { visibility } from '@app/dto';
import { z } from 'zod';
import { membership } from '../../communities/access/community-record.js';
import type { Viewer } from '../../communities/access/membership.js';
import { isAnnounced, withAnnounced } from '../assignments/announced-evaluations.js';
import { selectMember, selectOwnMember } from '../../communities/members/community-members.queries.js';

/** A request for the roles of a member, before it is known who the member is and whether the viewer may see them. */
export interface MemberQuestion extends Viewer {
  readonly communityId: string;
  /** A user id, or an id on the user's platform. */
  readonly memberId: string;
  /** The revision of the rules that the caller has. */
  readonly knownRevision: number | undefined;
}

const membershipRows = z.array(
  membership.extend({
    n: z.int(),
    visibility,
    isSuspended: z.boolean(),
    /** Database time: `clock_timestamp()::text`. */
    startedAt: z.string(),
    rulesRevision: z.int(),
    /** Null where the caller has this revision. */
    rules: z.array(z.unknown()).nullable(),
    /** No member, the member, or two where the id is ambiguous. */
    userIds: z.array(z.string()),
  }),
);
export type MemberAnswer = z.output<typeof membershipRows>[number];

const IS_ADMINISTRATOR = `EXISTS (SELECT FROM token_gating.community_administrators a
  WHERE a.community_id = c.id AND a.user_id = asked.user_id)`;
const IS_ATTACHED = `EXISTS (SELECT FROM token_gating.community_clients k
  WHERE k.community_id = c.id AND k.client_id = asked.client_id)`;

const IS_BEING_CHECKED = `EXISTS (SELECT FROM token_gating.balance_checks b
  WHERE b.community_id = c.id AND b.state = 'running')`;

/** Who manages a community (canManage) names any member, others only themselves. */
const FIND_MEMBERSHIPS = `
  SELECT asked.n::int, c.visibility, c.suspended_at IS NOT NULL AS "isSuspended", c.rules_revision AS "rulesRevision",
    clock_timestamp()::text AS "startedAt",
    CASE WHEN c.rules_revision IS DISTINCT FROM asked.known_revision THEN c.rules END AS rules,
    coalesce(c.owner_id = asked.user_id, false) AS "isOwner", viewer.is_administrator AS "isAdministrator",
    viewer.is_attached AS "isAttachedClient",
    EXISTS (SELECT FROM token_gating.community_members m
      WHERE m.community_id = c.id AND m.user_id = asked.user_id) AS "isMember",
    CASE WHEN viewer.is_administrator OR viewer.is_attached
      THEN ARRAY(${selectMember('asked.community_id', 'asked.member_id')})
      ELSE ARRAY(${selectOwnMember('asked.community_id', 'asked.member_id', 'asked.user_id')}) END AS "userIds"
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[]) WITH ORDINALITY
    AS asked (user_id, client_id, community_id, member_id, known_revision, n)
  JOIN token_gating.communities c ON c.id = asked.community_id
  CROSS JOIN LATERAL (SELECT ${IS_ADMINISTRATOR} AS is_administrator, ${IS_ATTACHED} AS is_attached) AS viewer`;

/** @returns for each question what the viewer is to the community, and the member; undefined where there is no such community */
export async function findMemberships(
  db: Queryable,
  questions: readonly MemberQuestion[],
): Promise<(MemberAnswer | undefined)[]> {
  const rows = membershipRows.parse(
    await queryRows(db, FIND_MEMBERSHIPS, [
      questions.map(({ userId }) => userId),
      questions.map(({ clientId }) => clientId),
      questions.map(({ communityId }) => communityId),
      questions.map(({ memberId }) => memberId),
      questions.map(({ knownRevision }) => knownRevision ?? null),
    ]),
  );
  return inOrder(rows, questions.length);
}

export interface MemberKey {
  readonly communityId: string;
  readonly userId: string;
}

const storedStates = z.array(
  z.object({
    n: z.int(),
    rulesRevision: z.int(),
    isMember: z.boolean(),
    /**
     * Whether no evaluation that began before this statement can still change the member's roles. One that begins later reads
     * wallets and chains later, too.
     */
    isSettled: z.boolean(),
    /** All roles of the community in their order. */
    roleIds: z.array(z.string()),
    /** The stored roles of the member, also deleted ones that are still to be revoked. */
    heldRoleIds: z.array(z.string()),
  }),
);
export type StoredState = z.output<typeof storedStates>[number];

/** The pages of a balance check do not announce their members: the check itself is seen to run. */
const LOAD_STORED_STATES = withAnnounced(
  '$1::text[]',
  `SELECT asked.n::int, c.rules_revision AS "rulesRevision", m.user_id IS NOT NULL AS "isMember",
    NOT (${IS_BEING_CHECKED} OR ${isAnnounced('m')}) AS "isSettled",
    ARRAY(SELECT r.id FROM token_gating.community_roles r
      WHERE r.community_id = c.id ORDER BY r.position, r.id) AS "roleIds",
    ARRAY(SELECT a.role_id FROM token_gating.role_assignments a
      WHERE a.community_id = asked.community_id AND a.user_id = asked.user_id) AS "heldRoleIds"
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (community_id, user_id, n)
  JOIN token_gating.communities c ON c.id = asked.community_id
  LEFT JOIN token_gating.community_members m ON m.community_id = asked.community_id AND m.user_id = asked.user_id`,
);

/** @returns what is stored of each member, in order; undefined where the community is deleted */
export async function loadStoredStates(
  db: Queryable,
  members: readonly MemberKey[],
): Promise<(StoredState | undefined)[]> {
  const columns = [members.map(({ communityId }) => communityId), members.map(({ userId }) => userId)];
  return inOrder(storedStates.parse(await queryRows(db, LOAD_STORED_STATES, columns)), members.length);
}

/** Rows by their number, which begins with 1. */
function inOrder<Row extends { readonly n: number }>(
  rows: readonly Row[],
  count: number,
): (Row | undefined)[] {
  const ordered = new Array<Row | undefined>(count).fill(undefined);
  for (const row of rows) ordered[row.n - 1] = row;
  return ordered;
}
