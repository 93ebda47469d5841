import type { Principal } from '@app/auth';
import { z } from 'zod';
import { type CommunityRecord, communityRecord } from './community-record.js';

/** Who somebody is to a community. */
export const membership = z.object({
  isOwner: z.boolean(),
  /** The owner is one. */
  isAdministrator: z.boolean(),
  isMember: z.boolean(),
  /** An attached client application that speaks for itself. */
  isAttachedClient: z.boolean(),
});
export type Membership = Readonly<z.output<typeof membership>>;

/** Columns of a standing to the community `c`: $1 is the user, $2 the client application, or null. */
export const MEMBERSHIP_COLUMNS = `
  coalesce(c.owner_id = $1, false) AS "isOwner",
  EXISTS (SELECT FROM token_gating.community_administrators a
    WHERE a.community_id = c.id AND a.user_id = $1) AS "isAdministrator",
  EXISTS (SELECT FROM token_gating.community_members m
    WHERE m.community_id = c.id AND m.user_id = $1) AS "isMember",
  EXISTS (SELECT FROM token_gating.community_clients k
    WHERE k.community_id = c.id AND k.client_id = $2) AS "isAttachedClient"`;

export const viewedCommunity = communityRecord.extend(membership.shape);
export type ViewedCommunity = Readonly<z.output<typeof viewedCommunity>>;

/** The same without its rules. */
export const listedCommunity = viewedCommunity.omit({ rules: true });
export type ListedCommunity = Readonly<z.output<typeof listedCommunity>>;

/** Administrators and attached applications see everything (contract.md section 7). */
export const canManage = ({ isAdministrator, isAttachedClient }: Membership): boolean =>
  isAdministrator || isAttachedClient;

export function canView({ visibility }: Pick<CommunityRecord, 'visibility'>, viewer: Membership): boolean {
  switch (visibility) {
    case 'public':
      return true;
    case 'members':
      return canManage(viewer) || viewer.isMember;
    case 'hidden':
      return canManage(viewer);
  }
}

/** Who asks, as parameters of STANDING_COLUMNS. */
export function toViewerParameters(principal: Principal): [userId: string | null, clientId: string | null] {
  if (principal.kind !== 'caller') return [null, null];
  const { user, client } = principal;
  // A user's token is in the user's hands: it must not carry what the application may do by itself.
  return user ? [user.id, null] : [null, client?.id ?? null];
}
