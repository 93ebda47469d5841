import { z } from 'zod';

/** Columns of token_gating.communities, of the alias `c`. */
export const COMMUNITY_COLUMNS = `c.id, c.name, c.platform, c.visibility, c.owner_id AS "ownerId", c.icon_url AS "iconURL",
  c.server_image AS "serverImage", c.network, c.rules, c.rules_revision AS "rulesRevision",
  c.invitation_revision AS "invitationRevision", c.member_count AS "memberCount", c.created_at AS "createdAt"`;

const optionalText = z
  .string()
  .nullable()
  .transform((text) => text ?? undefined);

export const communityRecord = z.object({
  id: z.string(),
  name: z.string(),
  platform: z.string(),
  visibility: z.enum(['public', 'members', 'hidden']),
  ownerId: z.string(),
  iconURL: optionalText,
  serverImage: optionalText,
  network: optionalText,
  /** As administrators wrote them, see roleRules. */
  rules: z.array(z.unknown()),
  rulesRevision: z.int(),
  invitationRevision: z.int(),
  memberCount: z.int(),
  createdAt: z.date(),
});
export type CommunityRecord = Readonly<z.output<typeof communityRecord>>;
