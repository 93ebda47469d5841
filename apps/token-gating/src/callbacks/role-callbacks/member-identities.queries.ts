import { type Queryable, queryRows } from '@app/database';
import { CHAT_PLATFORMS, userPlatform } from '@app/dto';
import { z } from 'zod';

/** A member of a community. */
export interface MemberKey {
  readonly communityId: string;
  readonly userId: string;
}

const memberIdentities = z.array(
  z.object({
    communityId: z.string(),
    userId: z.string(),
    platform: userPlatform,
    platformUserId: z.string(),
    /** Ids of the client applications that reported the member. */
    reporters: z.array(z.string()),
  }),
);
export type MemberIdentity = z.output<typeof memberIdentities>[number];

/** Loads who members of chat, microblog and codehost platforms are there. Omits others, whose platform id is a wallet's address. */
export async function loadMemberIdentities(
  db: Queryable,
  members: readonly MemberKey[],
): Promise<MemberIdentity[]> {
  const sql = `
    SELECT m.community_id AS "communityId", m.user_id AS "userId", m.platform, m.platform_user_id AS "platformUserId",
      ARRAY(SELECT r.client_id FROM token_gating.reported_members r
        WHERE r.community_id = m.community_id AND r.user_id = m.user_id) AS reporters
    FROM unnest($1::text[], $2::text[]) AS named (community_id, user_id)
    JOIN token_gating.community_members m ON m.community_id = named.community_id AND m.user_id = named.user_id
    WHERE m.platform = ANY($3::text[])`;
  const parameters = [
    members.map((each) => each.communityId),
    members.map((each) => each.userId),
    CHAT_PLATFORMS,
  ];
  return memberIdentities.parse(await queryRows(db, sql, parameters));
}

/** Records that a client application reported these members. Sorted, because concurrent reports share members. */
export async function insertReportedMembers(
  db: Queryable,
  communityId: string,
  { userIds, clientId }: { readonly userIds: readonly string[]; readonly clientId: string },
): Promise<void> {
  const sql = `
    INSERT INTO token_gating.reported_members (community_id, user_id, client_id)
    SELECT $1, user_id, $3 FROM unnest($2::text[]) AS reported (user_id) ORDER BY user_id
    ON CONFLICT DO NOTHING`;
  await queryRows(db, sql, [communityId, userIds, clientId]);
}

/** The form of ids that platforms themselves give; applications choose ids of other forms, which mean nothing to others. */
const PLATFORM_ID = /^[1-9]\d{0,18}$/;

/** Whether a client application is told who a member is on its platform (contract.md section 7). */
const isIdentityVisible = ({ platformUserId, reporters }: MemberIdentity, clientId: string): boolean =>
  PLATFORM_ID.test(platformUserId) || reporters.includes(clientId);

const toMemberKey = ({ communityId, userId }: MemberKey): string => JSON.stringify([communityId, userId]);

/** Who a member is on its platform, as far as a client application is told; empty where it is not. */
export type VisibleIdentity = Partial<Pick<MemberIdentity, 'platform' | 'platformUserId'>>;

/**
 * Loads who members are, for callbacks about them. @param left who the members were that the transaction has removed
 * @returns a function that answers for a member and a client application
 */
export async function loadVisibleIdentities(
  db: Queryable,
  members: readonly MemberKey[],
  left: readonly MemberIdentity[],
): Promise<(member: MemberKey, clientId: string) => VisibleIdentity> {
  const identities = [...left, ...(await loadMemberIdentities(db, members))];
  const identityOf = new Map(identities.map((identity) => [toMemberKey(identity), identity]));
  return (member, clientId) => {
    const identity = identityOf.get(toMemberKey(member));
    if (!identity || !isIdentityVisible(identity, clientId)) return {};
    const { platform, platformUserId } = identity;
    return { platform, platformUserId };
  };
}
