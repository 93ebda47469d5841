import type { Principal } from '@app/auth';
import { z } from 'zod';
import { type CommunityRecord, communityRecord } from './community-record.js';

/** Who somebody is to a community. */
export const standing = z.object({
  isOwner: z.boolean(),
  /** The owner is one. */
  isAdministrator: z.boolean(),
  isMember: z.boolean(),
  /** An attached client application that speaks for itself. */
  isAttachedClient: z.boolean(),
});
export type Standing = Readonly<z.output<typeof standing>>;

/** Columns of a standing to the community `c`: $1 is the user, $2 the client application, or null. */
export const STANDING_COLUMNS = `
  coalesce(c.owner_id = $1, false) AS "isOwner",
  EXISTS (SELECT FROM token_gating.community_administrators a
    WHERE a.community_id = c.id AND a.user_id = $1) AS "isAdministrator",
  EXISTS (SELECT FROM token_gating.community_members m
    WHERE m.community_id = c.id AND m.user_id = $1) AS "isMember",
  EXISTS (SELECT FROM token_gating.community_clients k
    WHERE k.community_id = c.id AND k.client_id = $2) AS "isAttachedClient"`;

export const communityInView = communityRecord.extend(standing.shape);
export type CommunityInView = Readonly<z.output<typeof communityInView>>;

/** The same without its rules. */
export const listedCommunity = communityInView.omit({ rules: true });
export type ListedCommunity = Readonly<z.output<typeof listedCommunity>>;

/** Administrators and attached applications see everything (contract.md section 7). */
export const runs = ({ isAdministrator, isAttachedClient }: Standing): boolean =>
  isAdministrator || isAttachedClient;

export function maySee({ visibility }: Pick<CommunityRecord, 'visibility'>, viewer: Standing): boolean {
  switch (visibility) {
    case 'public':
      return true;
    case 'members':
      return runs(viewer) || viewer.isMember;
    case 'hidden':
      return runs(viewer);
  }
}

/** Who asks, as parameters of STANDING_COLUMNS. */
export function viewerOf(principal: Principal): [userId: string | null, clientId: string | null] {
  if (principal.kind !== 'caller') return [null, null];
  const { user, client } = principal;
  // A user's token is in the user's hands: it must not carry what the application may do by itself.
  return user ? [user.id, null] : [null, client?.id ?? null];
}
