import { userPlatform, displayText } from '@app/dto';
import { z } from 'zod';
import { randomBytes } from 'node:crypto';
import { toBase62 } from '@app/common';

export const createId = (kind: 'community' | 'role'): string => `${kind}_${toBase62(randomBytes(12), 17)}`;

/** What a community or one of its roles is called. */
export const displayName = displayText(100).regex(/^(?!\s)(?!.*\s$)/su, 'must not begin or end with a space');

/** Columns of token_gating.communities, of the alias `c`, as lists show them: rules may be as long as a request. */
export const LISTED_COLUMNS = `c.id, c.name, c.platform, c.visibility, c.owner_id AS "ownerId", c.icon_url AS "iconURL",
  c.server_image AS "serverImage", c.network, c.rules_revision AS "rulesRevision",
  c.invitation_revision AS "invitationRevision", c.member_count AS "memberCount", c.created_at AS "createdAt"`;

/** Columns of token_gating.communities, of the alias `c`. */
export const COMMUNITY_COLUMNS = `${LISTED_COLUMNS}, c.rules`;

const optionalText = z
  .string()
  .nullable()
  .transform((text) => text ?? undefined);

export const visibility = z.enum(['public', 'members', 'hidden']);

export const communityRecord = z.object({
  id: z.string(),
  name: z.string(),
  platform: userPlatform,
  visibility,
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
