import { formatTimestampSql, type Queryable, queryRows } from '@app/database';
import { CHAT_PLATFORMS, userPlatform, type UserPlatform } from '@app/dto';
import { FIRST_SORT_KEY, type PageCursor } from '@app/service';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { EVENT_TIME_SQL } from '../events/create-community-event.js';
import { ambiguousUser } from './member.errors.js';

const MEMBER_COLUMNS = `m.user_id AS "userId", m.platform, m.platform_user_id AS "platformUserId",
  m.joined_at AS "joinedAt", m.joined_at::text AS "sortTime",
  ARRAY(SELECT a.role_id FROM token_gating.role_assignments a
    WHERE a.community_id = m.community_id AND a.user_id = m.user_id AND NOT EXISTS (
      SELECT FROM token_gating.deleted_roles d WHERE d.community_id = a.community_id AND d.role_id = a.role_id)
    ORDER BY a.role_id) AS roles`;

const member = z.object({
  userId: z.string(),
  platform: userPlatform,
  platformUserId: z.string(),
  joinedAt: z.date(),
  /** `joinedAt` with microseconds, which a Date loses. */
  sortTime: z.string(),
  /** Ids of the stored roles. */
  roles: z.array(z.string()),
});
export type MemberRow = z.output<typeof member>;

const members = z.array(member);

/** `joined_at` as the time of an event. */
const JOINED_AT = formatTimestampSql('joined_at');

/** Members in the order of joining. */
export async function listMembers(
  db: Queryable,
  communityId: string,
  { after = FIRST_SORT_KEY, rowLimit }: PageCursor,
): Promise<MemberRow[]> {
  const sql = `
    SELECT ${MEMBER_COLUMNS} FROM token_gating.community_members m
    WHERE m.community_id = $1 AND (m.joined_at, m.user_id) > ($2::timestamptz, $3)
    ORDER BY m.joined_at, m.user_id LIMIT $4`;
  return members.parse(await queryRows(db, sql, [communityId, ...after, rowLimit]));
}

const foundRows = z.array(z.object({ userId: z.string(), sortTime: z.string(), isFound: z.boolean() }));

/**
 * Members in the order of joining, and whether the user id is the text or the id on the platform holds it, in any case.
 * @param options `roleId`: only members who are stored as holding this role
 */
export async function scanMembers(
  db: Queryable,
  communityId: string,
  {
    after = FIRST_SORT_KEY,
    rowLimit,
    text,
    roleId,
  }: PageCursor & { readonly text: string; readonly roleId: string | undefined },
) {
  const sql = `
    SELECT m.user_id AS "userId", m.joined_at::text AS "sortTime",
      m.user_id = $5 OR strpos(lower(m.platform_user_id), lower($5)) > 0 AS "isFound"
    FROM token_gating.community_members m
    WHERE m.community_id = $1 AND (m.joined_at, m.user_id) > ($2::timestamptz, $3)
      AND ($6::text IS NULL OR EXISTS (SELECT FROM token_gating.role_assignments a
        WHERE a.community_id = m.community_id AND a.user_id = m.user_id AND a.role_id = $6))
    ORDER BY m.joined_at, m.user_id LIMIT $4`;
  const parameters = [communityId, ...after, rowLimit, text, roleId ?? null];
  return foundRows.parse(await queryRows(db, sql, parameters));
}

/** These members of a community, in the order of joining. */
export async function loadMembers(
  db: Queryable,
  communityId: string,
  userIds: readonly string[],
): Promise<MemberRow[]> {
  const sql = `
    SELECT ${MEMBER_COLUMNS} FROM token_gating.community_members m
    WHERE m.community_id = $1 AND m.user_id = ANY($2::text[]) ORDER BY m.joined_at, m.user_id`;
  return members.parse(await queryRows(db, sql, [communityId, userIds]));
}

const oneMember = z.tuple([member]);

/** @throws ZodError where the user is not a member */
export async function loadMember(db: Queryable, communityId: string, userId: string): Promise<MemberRow> {
  const sql = `
    SELECT ${MEMBER_COLUMNS} FROM token_gating.community_members m
    WHERE m.community_id = $1 AND m.user_id = $2`;
  return oneMember.parse(await queryRows(db, sql, [communityId, userId]))[0];
}

export async function isMember(db: Queryable, communityId: string, userId: string): Promise<boolean> {
  const sql = 'SELECT FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2';
  return (await queryRows(db, sql, [communityId, userId])).length > 0;
}

/**
 * Matches an id with the platform's id of a user. identity stores ids of `ethereum` in lower case, and addresses are equal in
 * any case (ERC-55); ids of all other platforms are case-sensitive.
 */
const matchPlatformUserId = (id: string): string =>
  `platform_user_id IN (${id}, lower(${id})) AND (platform_user_id = ${id} OR platform = 'ethereum')`;

/** The member with a user id or, where no member has this user id, with an id on the user's platform. Two where that is ambiguous. */
export const selectMember = (communityId: string, id: string): string => `
  SELECT user_id FROM token_gating.community_members WHERE community_id = ${communityId} AND user_id = ${id}
  UNION ALL
  (SELECT user_id FROM token_gating.community_members
   WHERE community_id = ${communityId} AND ${matchPlatformUserId(id)} AND NOT EXISTS (
     SELECT FROM token_gating.community_members other
     WHERE other.community_id = ${communityId} AND other.user_id = ${id}) LIMIT 2)`;

/** The same limited to one user: other members with this platform id do not make it ambiguous. */
export const selectOwnMember = (communityId: string, id: string, userId: string): string => `
  SELECT user_id FROM token_gating.community_members
  WHERE community_id = ${communityId} AND user_id = ${userId} AND (
    user_id = ${id} OR ${matchPlatformUserId(id)} AND NOT EXISTS (
      SELECT FROM token_gating.community_members other
      WHERE other.community_id = ${communityId} AND other.user_id = ${id}))`;

const foundMembers = z.array(z.object({ userId: z.string() }));

/**
 * Finds a member by user id or, where no member has this user id, by an id on the user's platform.
 * @throws AppError 409 where members of two platforms have this id
 */
export async function findMember(db: Queryable, communityId: string, id: string) {
  const sql = `SELECT user_id AS "userId" FROM (${selectMember('$1', '$2')}) AS found`;
  const [found, other] = foundMembers.parse(await queryRows(db, sql, [communityId, id]));
  if (other) throw ambiguousUser();
  return found;
}

const platformMembers = z.array(
  z.object({
    userId: z.string(),
    platform: userPlatform.extract(CHAT_PLATFORMS),
    platformUserId: z.string(),
  }),
);

/** The members with this user id or platform id on the platforms whose users applications assert; two where it is ambiguous. */
export async function findPlatformMembers(db: Queryable, communityId: string, id: string) {
  const sql = `
    SELECT user_id AS "userId", platform, platform_user_id AS "platformUserId"
    FROM token_gating.community_members
    WHERE community_id = $1 AND (user_id = $2 OR platform_user_id = $2) AND platform = ANY ($3::text[]) LIMIT 2`;
  return platformMembers.parse(await queryRows(db, sql, [communityId, id, CHAT_PLATFORMS]));
}

/** A user who becomes a member. */
export interface NewMember {
  readonly userId: string;
  readonly platform: UserPlatform;
  readonly platformUserId: string;
}

const joinedMembers = z.array(z.object({ userId: z.string(), joinedAt: z.string() }));

/** Skips users who are members already. Inserts in the order of user ids, in which members are locked. */
export async function insertMembers(
  manager: EntityManager,
  communityId: string,
  added: readonly NewMember[],
) {
  const sql = `
    INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
    SELECT $1, user_id, platform, platform_user_id
    FROM unnest($2::text[], $3::text[], $4::text[]) AS new (user_id, platform, platform_user_id) ORDER BY user_id
    ON CONFLICT DO NOTHING RETURNING user_id AS "userId", ${JOINED_AT} AS "joinedAt"`;
  const columns = (['userId', 'platform', 'platformUserId'] as const).map((name) =>
    added.map((each) => each[name]),
  );
  return joinedMembers.parse(await queryRows(manager, sql, [communityId, ...columns]));
}

const leftMembers = z.array(z.object({ joinedAt: z.string(), leftAt: z.string() })).max(1);

/** @returns undefined where the user was not a member */
export async function deleteMember(manager: EntityManager, communityId: string, userId: string) {
  const sql = `
    WITH checks AS (DELETE FROM token_gating.transfer_checks WHERE community_id = $1 AND user_id = $2)
    DELETE FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2
    RETURNING ${JOINED_AT} AS "joinedAt", ${EVENT_TIME_SQL} AS "leftAt"`;
  return leftMembers.parse(await queryRows(manager, sql, [communityId, userId]))[0];
}

/** @returns how many rows were deleted, at most `limit` */
export async function deleteMembers(
  manager: EntityManager,
  communityId: string,
  limit: number,
): Promise<number> {
  const sql = `
    DELETE FROM token_gating.community_members WHERE community_id = $1 AND user_id IN (
      SELECT user_id FROM token_gating.community_members WHERE community_id = $1 ORDER BY user_id LIMIT $2
    ) RETURNING user_id`;
  return (await queryRows(manager, sql, [communityId, limit])).length;
}

/** Deletes the checks of members whom logs have named. @returns how many rows were deleted, at most `limit` */
export async function deleteTransferChecks(
  manager: EntityManager,
  communityId: string,
  limit: number,
): Promise<number> {
  const sql = `
    DELETE FROM token_gating.transfer_checks WHERE id IN (
      SELECT id FROM token_gating.transfer_checks WHERE community_id = $1 ORDER BY user_id LIMIT $2 FOR UPDATE
    ) RETURNING id`;
  return (await queryRows(manager, sql, [communityId, limit])).length;
}

/** Keyed hashes of accounts, with the user of each. */
export interface MemberAccounts {
  readonly userIds: readonly string[];
  readonly hashes: readonly Buffer[];
}

/** @param more further common table expressions that write */
const toClaimSql = (more: string): string => `
  WITH present AS (
    SELECT user_id, user_id = ANY($3::text[]) AS is_determined,
      evaluated_at IS NULL OR evaluated_at <= $4::timestamptz AS is_newest
    FROM token_gating.community_members
    WHERE community_id = $1 AND user_id = ANY($2::text[])
    ORDER BY user_id FOR UPDATE
  ), claimed AS (
    UPDATE token_gating.community_members AS m SET evaluated_at = $4::timestamptz
    FROM present p WHERE m.community_id = $1 AND m.user_id = p.user_id AND p.is_determined AND p.is_newest
  )${more}
  SELECT user_id AS "userId", is_determined AND NOT is_newest AS "isSuperseded" FROM present`;

/** A part of the claim: a statement of its own would be the seventh of each page of a balance check. */
const CLAIM_MEMBERS_WITH_ACCOUNTS = toClaimSql(`, wanted AS (
    SELECT account.user_id, account.account_hash
    FROM unnest($5::text[], $6::bytea[]) AS account (user_id, account_hash)
    JOIN present p ON p.user_id = account.user_id AND p.is_newest
  ), gone AS (
    DELETE FROM token_gating.member_accounts a USING present p
    WHERE a.community_id = $1 AND a.user_id = p.user_id AND p.is_newest
      -- A later evaluation that determined no role has added it.
      AND a.added_at <= $4::timestamptz
      AND NOT EXISTS (SELECT FROM wanted w WHERE w.user_id = a.user_id AND w.account_hash = a.account_hash)
  ), known AS (
    INSERT INTO token_gating.member_accounts (community_id, user_id, account_hash, added_at)
    SELECT $1, user_id, account_hash, $4::timestamptz FROM wanted ORDER BY user_id ON CONFLICT DO NOTHING
  )`);
const CLAIM_MEMBERS = toClaimSql('');

const claimedMembers = z.array(
  z.object({
    userId: z.string(),
    /** Whether the result of a later evaluation is stored. */
    isSuperseded: z.boolean(),
  }),
);

/**
 * Locks members in the order of user ids, and sets the evaluation time of those that have a determined role and no later
 * evaluation. A member without a determined role keeps the time, so that an earlier evaluation with a result can be stored.
 * @param accounts replaces the accounts by which the transfer watcher finds the members, except those with a later evaluation
 * @returns the users who are still members
 */
export async function claimMembers(
  manager: EntityManager,
  communityId: string,
  { userIds, determinedIds, startedAt }: { userIds: string[]; determinedIds: string[]; startedAt: string },
  accounts?: MemberAccounts,
) {
  const parameters = [communityId, userIds, determinedIds, startedAt];
  const rows = accounts
    ? await queryRows(manager, CLAIM_MEMBERS_WITH_ACCOUNTS, [
        ...parameters,
        accounts.userIds,
        accounts.hashes,
      ])
    : await queryRows(manager, CLAIM_MEMBERS, parameters);
  return claimedMembers.parse(rows);
}

const membersToCheck = z
  .array(
    z.object({
      /** The owner of the community. */
      ownerId: z.string(),
      isWithoutApplication: z.boolean(),
      rules: z.array(z.unknown()),
      rulesRevision: z.int(),
      userIds: z.array(z.string()),
    }),
  )
  .max(1);
export type MembersToCheck = z.infer<typeof membersToCheck>[number];

/**
 * Loads which of the users are members, and the rules.
 * @returns undefined where the community is deleted or suspended
 */
export async function loadMembersToCheck(
  db: Queryable,
  communityId: string,
  userIds: readonly string[],
): Promise<MembersToCheck | undefined> {
  const sql = `
    SELECT c.owner_id AS "ownerId", c.without_application AS "isWithoutApplication", c.rules,
      c.rules_revision AS "rulesRevision", array(SELECT m.user_id FROM token_gating.community_members m
        WHERE m.community_id = c.id AND m.user_id = ANY($2::text[])) AS "userIds"
    FROM token_gating.communities c WHERE c.id = $1 AND c.suspended_at IS NULL`;
  return membersToCheck.parse(await queryRows(db, sql, [communityId, userIds]))[0];
}

/** The member after which a page begins, in the order of joining. */
const memberCursor = z.object({
  /** PostgreSQL's text with microseconds, which a Date loses. */
  joinedAt: z.string(),
  userId: z.string(),
});
export type MemberCursor = Readonly<z.output<typeof memberCursor>>;

const memberPages = z
  .array(z.object({ startedAt: z.string(), rulesRevision: z.int(), members: z.array(memberCursor) }))
  .max(1);

/**
 * Loads a page of the members who joined until `joinedUntil`, the rules revision, and the database time, also where the
 * page is empty.
 * @returns undefined where the community is deleted
 */
export async function loadMemberPage(
  db: Queryable,
  communityId: string,
  { joinedUntil, after, limit }: { joinedUntil: string; after: MemberCursor | undefined; limit: number },
) {
  const sql = `
    SELECT clock_timestamp()::text AS "startedAt", c.rules_revision AS "rulesRevision", coalesce((
      SELECT json_agg(json_build_object('joinedAt', m.joined_at::text, 'userId', m.user_id)
        ORDER BY m.joined_at, m.user_id)
      FROM (
        SELECT joined_at, user_id FROM token_gating.community_members
        WHERE community_id = c.id AND joined_at <= $2::timestamptz
          AND (joined_at, user_id) > (coalesce($3::timestamptz, '-infinity'), coalesce($4, ''))
        ORDER BY joined_at, user_id LIMIT $5
      ) m
    ), '[]') AS members
    FROM token_gating.communities c WHERE c.id = $1`;
  const cursor = [after?.joinedAt ?? null, after?.userId ?? null];
  return memberPages.parse(await queryRows(db, sql, [communityId, joinedUntil, ...cursor, limit]))[0];
}
