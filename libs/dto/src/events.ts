import { z } from 'zod';

/** Of every event: what makes two of them the same, and when it happened (database time, UTC). */
const occurrence = { id: z.uuid(), at: z.iso.datetime() };
const identifier = z.string().min(1).max(256);

const ofMember = { ...occurrence, communityId: identifier, userId: identifier };

/** What happens in a community, as analytics hears of it. */
export const communityEvent = z.discriminatedUnion('type', [
  z.strictObject({ ...ofMember, type: z.literal('member.joined') }),
  z.strictObject({ ...ofMember, type: z.literal('member.left') }),
  z.strictObject({ ...ofMember, type: z.literal('role.granted'), roleId: identifier }),
  z.strictObject({ ...ofMember, type: z.literal('role.revoked'), roleId: identifier }),
  z.strictObject({ ...ofMember, type: z.literal('wallet.linked'), accountId: identifier }),
  z.strictObject({ ...ofMember, type: z.literal('wallet.unlinked'), accountId: identifier }),
  z.strictObject({ ...occurrence, type: z.literal('community.deleted'), communityId: identifier }),
]);
export type CommunityEvent = z.infer<typeof communityEvent>;

/** A user got a wallet, or has it no longer. */
export const walletEvent = z.strictObject({
  ...occurrence,
  type: z.enum(['wallet.linked', 'wallet.unlinked']),
  userId: identifier,
  /** CAIP-10. */
  accountId: identifier,
});
export type WalletEvent = z.infer<typeof walletEvent>;

/** Of one job of an event queue. */
export const MAX_EVENTS_PER_BATCH = 500;
