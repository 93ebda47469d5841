import { lockTransaction, type Queryable, queryRows } from '@app/database';
import { visibility } from '@app/dto';
import { FIRST_SORT_KEY, type PageCursor } from '@app/service';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import {
  communitySummary,
  type CommunitySummary,
  listedCommunity,
  membership,
  viewedCommunity,
  type ViewedCommunity,
} from './community-record.js';
import type { Viewer } from './membership.js';

const SUMMARY_COLUMNS = `c.id, c.name, c.platform, c.visibility, c.suspended_at IS NOT NULL AS "isSuspended",
  c.without_application AS "isWithoutApplication", c.owner_id AS "ownerId", c.icon_url AS "iconURL",
  c.server_image AS "serverImage", c.network, c.rules_revision AS "rulesRevision",
  c.invitation_revision AS "invitationRevision", c.member_count AS "memberCount", c.created_at AS "createdAt"`;

/** $1 is the viewing user, $2 the viewing client application, or null. */
const MEMBERSHIP_COLUMNS = `
  coalesce(c.owner_id = $1, false) AS "isOwner",
  EXISTS (SELECT FROM token_gating.community_administrators a
    WHERE a.community_id = c.id AND a.user_id = $1) AS "isAdministrator",
  EXISTS (SELECT FROM token_gating.community_members m
    WHERE m.community_id = c.id AND m.user_id = $1) AS "isMember",
  EXISTS (SELECT FROM token_gating.community_clients k
    WHERE k.community_id = c.id AND k.client_id = $2) AS "isAttachedClient"`;

/** Communities that operators suspended are seen only by those who run them: $1 is the viewing user, $2 the client application. */
const IS_SEEN = `(c.suspended_at IS NULL
  OR EXISTS (SELECT FROM token_gating.community_administrators a WHERE a.community_id = c.id AND a.user_id = $1)
  OR EXISTS (SELECT FROM token_gating.community_clients k WHERE k.community_id = c.id AND k.client_id = $2))`;

// The sort time is selected as text: a JavaScript date would lose its microseconds, and with them rows.
const toListColumns = (sortTime: string) => `${SUMMARY_COLUMNS}, ${MEMBERSHIP_COLUMNS},
  (SELECT count(*)::int FROM token_gating.community_roles r WHERE r.community_id = c.id) AS "roleCount",
  ${sortTime}::text AS "sortTime"`;

const viewedRows = z.array(viewedCommunity).max(1);

export async function findViewedCommunity(
  db: Queryable,
  { userId, clientId }: Viewer,
  communityId: string,
): Promise<ViewedCommunity | undefined> {
  const sql = `SELECT ${SUMMARY_COLUMNS}, c.rules, ${MEMBERSHIP_COLUMNS}
    FROM token_gating.communities c WHERE c.id = $3`;
  return viewedRows.parse(await queryRows(db, sql, [userId, clientId, communityId]))[0];
}

const membershipRows = z
  .array(membership.extend({ name: z.string(), visibility, isSuspended: z.boolean() }))
  .max(1);

/** What a viewer is to a community, with its name only. */
export async function findMembership(db: Queryable, { userId, clientId }: Viewer, communityId: string) {
  const sql = `SELECT c.name, c.visibility, c.suspended_at IS NOT NULL AS "isSuspended", ${MEMBERSHIP_COLUMNS} FROM token_gating.communities c WHERE c.id = $3`;
  return membershipRows.parse(await queryRows(db, sql, [userId, clientId, communityId]))[0];
}

const summaryRows = z.array(communitySummary).max(1);

export async function findCommunity(
  db: Queryable,
  communityId: string,
): Promise<CommunitySummary | undefined> {
  const sql = `SELECT ${SUMMARY_COLUMNS} FROM token_gating.communities c WHERE c.id = $1`;
  return summaryRows.parse(await queryRows(db, sql, [communityId]))[0];
}

const attachmentRows = z
  .array(
    z.object({ name: z.string(), isPublic: z.boolean(), isSuspended: z.boolean(), isAttached: z.boolean() }),
  )
  .max(1);

/** The name of a community, and whether a client application is attached to it. */
export async function findAttachment(db: Queryable, communityId: string, clientId: string) {
  const sql = `
    SELECT c.name, c.visibility = 'public' AS "isPublic", c.suspended_at IS NOT NULL AS "isSuspended", EXISTS (
      SELECT FROM token_gating.community_clients k WHERE k.community_id = c.id AND k.client_id = $2
    ) AS "isAttached"
    FROM token_gating.communities c WHERE c.id = $1`;
  return attachmentRows.parse(await queryRows(db, sql, [communityId, clientId]))[0];
}

/** Does not conflict with storing roles, which takes the assignment lock instead (role-assignments.queries.ts). */
export async function lockCommunity(manager: EntityManager, communityId: string): Promise<void> {
  await queryRows(manager, 'SELECT FROM token_gating.communities WHERE id = $1 FOR NO KEY UPDATE', [
    communityId,
  ]);
}

const listRows = z.array(listedCommunity.extend({ sortTime: z.string(), roleCount: z.int() }));
export type CommunityListRow = z.output<typeof listRows>[number];

async function queryList(
  db: Queryable,
  sql: string,
  { userId, clientId }: Viewer,
  { after = FIRST_SORT_KEY, rowLimit }: PageCursor,
): Promise<CommunityListRow[]> {
  return listRows.parse(await queryRows(db, sql, [userId, clientId, ...after, rowLimit]));
}

/** Public communities, oldest first. */
export const listPublicCommunities = (db: Queryable, viewer: Viewer, cursor: PageCursor) =>
  queryList(
    db,
    `SELECT ${toListColumns('c.created_at')} FROM token_gating.communities c
     WHERE c.visibility = 'public' AND ${IS_SEEN} AND (c.created_at, c.id) > ($3::timestamptz, $4)
     ORDER BY c.created_at, c.id LIMIT $5`,
    viewer,
    cursor,
  );

/** Communities that the viewing user has joined and may see, in the order of joining. */
export const listJoinedCommunities = (db: Queryable, viewer: Viewer, cursor: PageCursor) =>
  queryList(
    db,
    `SELECT ${toListColumns('m.joined_at')}
     FROM token_gating.community_members m JOIN token_gating.communities c ON c.id = m.community_id
     WHERE m.user_id = $1 AND ${IS_SEEN} AND (m.joined_at, m.community_id) > ($3::timestamptz, $4)
       AND (c.visibility <> 'hidden' OR EXISTS (SELECT FROM token_gating.community_administrators a
         WHERE a.community_id = c.id AND a.user_id = $1))
     ORDER BY m.joined_at, m.community_id LIMIT $5`,
    viewer,
    cursor,
  );

/** Communities that the viewing user administers, in the order of becoming an administrator. */
export const listAdministratedCommunities = (db: Queryable, viewer: Viewer, cursor: PageCursor) =>
  queryList(
    db,
    `SELECT ${toListColumns('o.created_at')}
     FROM token_gating.community_administrators o JOIN token_gating.communities c ON c.id = o.community_id
     WHERE o.user_id = $1 AND (o.created_at, o.community_id) > ($3::timestamptz, $4)
     ORDER BY o.created_at, o.community_id LIMIT $5`,
    viewer,
    cursor,
  );

/** Serializes transactions that give this user one more community, so that each counts those of the others. */
export async function lockOwner(manager: EntityManager, userId: string): Promise<void> {
  await lockTransaction(manager, `gatehouse owner ${userId}`);
}

const countRows = z.tuple([z.object({ count: z.int() })]);

export async function countOwnedCommunities(db: Queryable, userId: string): Promise<number> {
  const sql = 'SELECT count(*)::int AS count FROM token_gating.communities WHERE owner_id = $1';
  return countRows.parse(await queryRows(db, sql, [userId]))[0].count;
}

/** Counts the owned communities without an approved client application. */
export async function countOwnedWithoutApplication(db: Queryable, userId: string): Promise<number> {
  const sql = `
    SELECT count(*)::int AS count FROM token_gating.communities WHERE owner_id = $1 AND without_application`;
  return countRows.parse(await queryRows(db, sql, [userId]))[0].count;
}

/** Says that no approved client application stands for the rules of a community. */
export async function markWithoutApplication(manager: EntityManager, id: string): Promise<void> {
  const sql = 'UPDATE token_gating.communities SET without_application = true WHERE id = $1';
  await queryRows(manager, sql, [id]);
}

/**
 * Says that approved client applications stand for the rules of these communities. Their contracts count as outdated, so that
 * CommunityContractsSweeper has their transfers followed.
 */
export async function clearWithoutApplication(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const sql = `
    UPDATE token_gating.communities SET without_application = false, contracts_revision = 0 WHERE id IN (
      SELECT id FROM token_gating.communities WHERE id = ANY($1::text[]) AND without_application
      ORDER BY id FOR NO KEY UPDATE)`;
  await queryRows(db, sql, [ids]);
}

type OptionalField = 'iconURL' | 'serverImage' | 'network';
type NewCommunityFields = Pick<CommunitySummary, 'name' | 'platform' | 'visibility'> &
  Partial<Record<OptionalField, string | undefined>>;

/** The first balance check is a day away: the community has no members yet, and every join checks the new member. */
export async function insertCommunity(
  manager: EntityManager,
  id: string,
  { ownerId, isWithoutApplication }: Pick<CommunitySummary, 'ownerId' | 'isWithoutApplication'>,
  { name, platform, visibility, iconURL, serverImage, network }: NewCommunityFields,
): Promise<void> {
  const images = [iconURL ?? null, serverImage ?? null];
  await queryRows(
    manager,
    `INSERT INTO token_gating.communities
       (id, name, platform, visibility, owner_id, icon_url, server_image, network, without_application, next_check_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + interval '1 day')`,
    [id, name, platform, visibility, ownerId, ...images, network ?? null, isWithoutApplication],
  );
}

export type EditableFields = Pick<CommunitySummary, 'name' | 'visibility' | OptionalField>;

/** Revokes invitation links when the visibility is no longer `members`: they must not work if it returns. */
export async function updateCommunity(
  manager: EntityManager,
  id: string,
  { name, visibility, iconURL, serverImage, network }: EditableFields,
): Promise<void> {
  const images = [iconURL ?? null, serverImage ?? null];
  await queryRows(
    manager,
    `UPDATE token_gating.communities
     SET name = $2, visibility = $3,
       invitation_revision = invitation_revision + (visibility = 'members' AND $3 <> 'members')::int,
       icon_url = $4, server_image = $5, network = $6 WHERE id = $1`,
    [id, name, visibility, ...images, network ?? null],
  );
}

/** Ends an offer of the community, too: an owner who gets it back has not made it. */
export async function updateOwner(manager: EntityManager, id: string, ownerId: string): Promise<void> {
  const sql = `
    WITH offer AS (DELETE FROM token_gating.ownership_offers WHERE community_id = $1)
    UPDATE token_gating.communities SET owner_id = $2 WHERE id = $1`;
  await queryRows(manager, sql, [id, ownerId]);
}

/** Makes the next balance check due now. The caller stores the contracts of the rules, too. @param rules as administrators wrote them */
export async function updateRules(
  manager: EntityManager,
  id: string,
  rules: readonly unknown[],
): Promise<void> {
  await queryRows(
    manager,
    `UPDATE token_gating.communities
     SET rules = $2::jsonb, rules_revision = rules_revision + 1, contracts_revision = rules_revision + 1,
       next_check_at = now() WHERE id = $1`,
    [id, JSON.stringify(rules)],
  );
}

const rulesRevisions = z.array(z.object({ rulesRevision: z.int() })).max(1);

export async function findRulesRevision(db: Queryable, id: string): Promise<number | undefined> {
  const sql = 'SELECT rules_revision AS "rulesRevision" FROM token_gating.communities WHERE id = $1';
  return rulesRevisions.parse(await queryRows(db, sql, [id]))[0]?.rulesRevision;
}

const invitationRevisions = z.tuple([z.object({ invitationRevision: z.int() })]);

/** @returns the new revision */
export async function incrementInvitationRevision(manager: EntityManager, id: string): Promise<number> {
  const sql = `
    UPDATE token_gating.communities SET invitation_revision = invitation_revision + 1 WHERE id = $1
    RETURNING invitation_revision AS "invitationRevision"`;
  return invitationRevisions.parse(await queryRows(manager, sql, [id]))[0].invitationRevision;
}

/** @returns the new count */
export async function addToMemberCount(manager: EntityManager, id: string, change: number): Promise<number> {
  const sql = `
    UPDATE token_gating.communities SET member_count = member_count + $2 WHERE id = $1
    RETURNING member_count AS count`;
  return countRows.parse(await queryRows(manager, sql, [id, change]))[0].count;
}

const COUNTS = `
  SELECT c.id, c.member_count AS stored,
    (SELECT count(*)::int FROM token_gating.community_members m WHERE m.community_id = c.id) AS counted
  FROM token_gating.communities c WHERE c.id = ANY($1::text[])`;

const memberCounts = z.array(z.object({ id: z.string(), stored: z.int(), counted: z.int() }));

/** Counts the members of communities, without a lock. */
export async function countMembers(db: Queryable, ids: readonly string[]) {
  return memberCounts.parse(await queryRows(db, COUNTS, [ids]));
}

const correctedCounts = z.array(z.object({ id: z.string(), memberCount: z.int() }));

/** Counts again under a lock, in the order of ids to avoid deadlocks. @returns only the counts that were wrong */
export async function correctMemberCounts(manager: EntityManager, ids: readonly string[]) {
  const lock =
    'SELECT FROM token_gating.communities WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE';
  await queryRows(manager, lock, [ids]);
  const sql = `
    UPDATE token_gating.communities c SET member_count = n.counted FROM (${COUNTS}) n
    WHERE c.id = n.id AND n.stored <> n.counted RETURNING c.id, c.member_count AS "memberCount"`;
  return correctedCounts.parse(await queryRows(manager, sql, [ids]));
}

/**
 * Moves the next balance check of communities to this many milliseconds from now, ±10 %. Never moves it later: the rules
 * may have changed meanwhile, which makes it due at once.
 */
export async function scheduleChecksEarlier(
  db: Queryable,
  delays: readonly { readonly id: string; readonly delayMs: number }[],
): Promise<void> {
  if (delays.length === 0) return;
  await queryRows(
    db,
    `WITH earlier AS (
       SELECT c.id, earlier.ms FROM token_gating.communities c
       JOIN unnest($1::text[], $2::float8[]) AS earlier (id, ms) ON earlier.id = c.id
       ORDER BY c.id FOR NO KEY UPDATE OF c
     )
     UPDATE token_gating.communities c
     SET next_check_at = least(c.next_check_at, clock_timestamp() + earlier.ms * (0.9 + 0.2 * random()) * interval '1 ms')
     FROM earlier WHERE c.id = earlier.id`,
    [delays.map(({ id }) => id), delays.map(({ delayMs }) => delayMs)],
  );
}
