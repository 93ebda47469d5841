import { z } from 'zod';

/** Consumers deduplicate events by `id`. `at` is the database's time, in UTC. */
const baseFields = { id: z.uuid(), at: z.iso.datetime() };
const identifier = z.string().min(1).max(256);

const memberFields = { ...baseFields, communityId: identifier, userId: identifier };

/** An event of a community, from token-gating to analytics. */
export const communityEvent = z.discriminatedUnion('type', [
  z.strictObject({ ...memberFields, type: z.literal('member.joined') }),
  z.strictObject({ ...memberFields, type: z.literal('member.left') }),
  z.strictObject({ ...memberFields, type: z.literal('role.granted'), roleId: identifier }),
  z.strictObject({ ...memberFields, type: z.literal('role.revoked'), roleId: identifier }),
  z.strictObject({ ...memberFields, type: z.literal('wallet.linked'), accountId: identifier }),
  z.strictObject({ ...memberFields, type: z.literal('wallet.unlinked'), accountId: identifier }),
  /** The roles of the member were asked for: at most one a quarter-hour, whose begin is `at`. */
  z.strictObject({ ...memberFields, type: z.literal('member.checked') }),
  z.strictObject({ ...baseFields, type: z.literal('community.deleted'), communityId: identifier }),
]);
export type CommunityEvent = z.infer<typeof communityEvent>;

/** A user linked or unlinked a wallet, or another user linked a wallet that this one has; from identity to token-gating. */
export const walletEvent = z.strictObject({
  ...baseFields,
  type: z.enum(['wallet.linked', 'wallet.unlinked', 'wallet.shared']),
  userId: identifier,
  /** CAIP-10. */
  accountId: identifier,
  /** The community in which the wallet of a platform user counts; absent for a wallet that counts everywhere. */
  communityId: identifier.optional(),
});
export type WalletEvent = z.infer<typeof walletEvent>;

/** Events per job of an event queue. */
export const MAX_EVENTS_PER_BATCH = 500;
