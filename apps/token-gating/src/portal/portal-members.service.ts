import { Database, queryRows } from '@app/database';
import {
  type CallbackStatesRequest,
  type CallbackStatesResponse,
  type EndedMembershipRequest,
  type EndedMembershipResponse,
  MAX_SEARCHED_USERS,
  type PortalMemberRequest,
  type PortalMembersRequest,
  type PortalMembersResponse,
  type PortalMember,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { IdentityClient } from '../clients/identity-client.js';
import { CommunityAccessService } from '../communities/access/community-access.service.js';
import { communityNotFound } from '../communities/access/community.errors.js';
import type { ViewedCommunity } from '../communities/access/community-record.js';
import { canView } from '../communities/access/membership.js';
import { listAdministrators } from '../communities/administrators/community-administrators.queries.js';
import {
  loadMembers,
  type MemberRow,
  scanMembers,
} from '../communities/members/community-members.queries.js';
import { findDeparture } from '../communities/members/removed-members.queries.js';
import { memberNotFound } from '../communities/members/member.errors.js';
import { loadRoleTimes } from '../communities/roles/role-assignments.queries.js';
import { loadRoles } from '../communities/roles/community-roles.queries.js';
import { toUserPrincipal } from './to-portal-answer.js';

/** Members that one request looks at: a search in a larger community goes on with the next page. */
const MAX_SCANNED_MEMBERS = 10_000;

type SortKey = readonly [string, string];

/** Callbacks that are summed up: those that are kept, of which the rate per tenant bounds how many there are. */
const MAX_SUMMED_CALLBACKS = 10_000;

const SUM_CALLBACKS = `
  WITH kept AS (
    SELECT id, client_id, state, created_at FROM token_gating.deliveries
    WHERE payload ->> 'communityId' = $1 AND endpoint_id IS NULL ORDER BY created_at DESC LIMIT ${MAX_SUMMED_CALLBACKS}
  ), summed AS (
    SELECT client_id, count(*) FILTER (WHERE state = 'pending')::int AS pending,
      count(*) FILTER (WHERE state = 'delivered')::int AS delivered,
      count(*) FILTER (WHERE state = 'failed')::int AS failed,
      (array_agg(state ORDER BY created_at DESC))[1] AS last_state, max(created_at) AS last_time
    FROM kept GROUP BY client_id
  )
  SELECT client_id AS "clientId", pending, delivered, failed, last_state AS "lastState", last_time AS "lastTime",
    attempt.reason, attempt.started_at AS "failedTime"
  FROM summed LEFT JOIN LATERAL (
    SELECT coalesce(a.failure, 'status ' || a.status) AS reason, a.started_at
    FROM kept JOIN token_gating.delivery_attempts a ON a.delivery_id = kept.id
    WHERE kept.client_id = summed.client_id AND (a.failure IS NOT NULL OR a.status NOT BETWEEN 200 AND 299)
    ORDER BY a.started_at DESC LIMIT 1
  ) AS attempt ON true ORDER BY client_id`;

const summedRows = z.array(
  z.object({
    clientId: z.string(),
    pending: z.int(),
    delivered: z.int(),
    failed: z.int(),
    lastState: z.enum(['pending', 'delivered', 'failed']),
    lastTime: z.date(),
    reason: z.string().nullable(),
    failedTime: z.date().nullable(),
  }),
);

/** Members of a community and the callbacks about them, for the pages of those who run it. */
@Injectable()
export class PortalMembersService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly identity: IdentityClient,
  ) {}

  /**
   * A page of members in the order of joining. Names are identity's, which is asked for those of a thousand members at a time.
   * @throws AppError 403 and 404 for users who are no administrators, 503 where identity cannot search
   */
  async list({ userId, communityId, ...search }: PortalMembersRequest): Promise<PortalMembersResponse> {
    const community = await this.access.requireAdministrator(toUserPrincipal(userId), communityId);
    const { userIds, next } = await this.scan(communityId, search);
    const members = await this.describe(community, await loadMembers(this.database, communityId, userIds));
    return { members, memberCount: community.memberCount, ...(next && { next: [...next] }) };
  }

  /**
   * A member with the roles that are stored: nothing is checked or counted. Administrators may, and members themselves.
   * @throws AppError 403 and 404 for others, 404 for who is no member
   */
  async find({ userId, communityId, memberId }: PortalMemberRequest): Promise<PortalMember> {
    const principal = toUserPrincipal(userId);
    const community =
      memberId === userId
        ? await this.access.find(principal, communityId)
        : await this.access.requireAdministrator(principal, communityId);
    if (!community || !(community.isMember || canView(community, community))) throw communityNotFound();
    const rows = await loadMembers(this.database, communityId, [memberId]);
    const [member] = await this.describe(community, rows);
    if (!member) throw memberNotFound();
    const times = await loadRoleTimes(this.database, communityId, memberId);
    const roleTimes = times.map(({ roleId, gainedAt, lostAt }) => ({
      roleId,
      gainedTime: gainedAt.toISOString(),
      ...(lostAt && { lostTime: lostAt.toISOString() }),
    }));
    return { ...member, roleTimes };
  }

  /** How a membership of the user ended. Users who never had one learn nothing, and whether there is such a community neither. */
  async findDeparture({ userId, communityId }: EndedMembershipRequest): Promise<EndedMembershipResponse> {
    const found = await findDeparture(this.database, communityId, userId);
    if (!found) return {};
    const { hasLeft, endedAt, name, isPublic } = found;
    const time = endedAt?.toISOString();
    return { ended: { how: hasLeft ? 'left' : 'removed', name: name ?? undefined, time, isPublic } };
  }

  /** @throws AppError 403 and 404 for users who are no administrators */
  async loadCallbackStates({ userId, communityId }: CallbackStatesRequest): Promise<CallbackStatesResponse> {
    await this.access.requireAdministrator(toUserPrincipal(userId), communityId);
    const rows = summedRows.parse(await queryRows(this.database, SUM_CALLBACKS, [communityId]));
    return {
      applications: rows.map(({ lastState, lastTime, reason, failedTime, ...counts }) => ({
        ...counts,
        last: { state: lastState, time: lastTime.toISOString() },
        ...(reason !== null && failedTime && { failure: { reason, time: failedTime.toISOString() } }),
      })),
    };
  }

  private async describe(
    { id: communityId, ownerId }: ViewedCommunity,
    rows: readonly MemberRow[],
  ): Promise<PortalMember[]> {
    const [roles, administrators, names] = await Promise.all([
      loadRoles(this.database, [communityId]),
      listAdministrators(this.database, communityId),
      this.identity.fetchNames({ userIds: rows.map(({ userId }) => userId) }),
    ]);
    const administratorIds = new Set(administrators.map(({ userId }) => userId));
    const ofCommunity = roles.get(communityId) ?? [];
    return rows.map(({ roles: held, joinedAt, sortTime: _, ...row }) => ({
      ...row,
      name: names.get(row.userId),
      joinedTime: joinedAt.toISOString(),
      roles: ofCommunity.filter(({ id }) => held.includes(id)),
      isAdministrator: administratorIds.has(row.userId),
      isOwner: row.userId === ownerId,
    }));
  }

  private async scan(
    communityId: string,
    { text = '', roleId, after, limit }: Pick<PortalMembersRequest, 'text' | 'roleId' | 'after' | 'limit'>,
  ): Promise<{ readonly userIds: readonly string[]; readonly next?: SortKey | undefined }> {
    const found: string[] = [];
    let cursor: SortKey | undefined = after;
    // Without a text every member is found, and one more says that there is a next page.
    const rowLimit = text === '' ? limit + 1 : MAX_SEARCHED_USERS;
    for (let scanned = 0; scanned < MAX_SCANNED_MEMBERS; scanned += rowLimit) {
      const rows = await scanMembers(this.database, communityId, { after: cursor, rowLimit, text, roleId });
      const named =
        text === ''
          ? undefined
          : await this.identity.findMatching(
              rows.map(({ userId }) => userId),
              text,
            );
      for (const { userId, sortTime, isFound } of rows) {
        const isWanted = !named || isFound || named.has(userId);
        if (isWanted && found.length === limit) return { userIds: found, next: cursor };
        if (isWanted) found.push(userId);
        cursor = [sortTime, userId];
      }
      if (rows.length < rowLimit) return { userIds: found };
    }
    return { userIds: found, next: cursor };
  }
}
