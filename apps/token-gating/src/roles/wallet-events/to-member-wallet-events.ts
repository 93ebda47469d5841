import type { CommunityEvent, WalletLink } from '@app/dto';
import { createNameBasedUuid } from '../../callbacks/delivery.js';

/** The time in which a user is a member of a community, with microseconds. */
export interface MembershipPeriod {
  readonly communityId: string;
  readonly userId: string;
  readonly joinedAt: string;
  /** Absent as long as the user is a member. */
  readonly leftAt?: string | undefined;
}

type WalletEventType = 'wallet.linked' | 'wallet.unlinked';

/**
 * The event of a member's wallet. Its id is derived from the member, the account and the time, so that whatever finds out about
 * a link, the link or the membership, publishes the same event.
 */
export const createMemberWalletEvent = (
  type: WalletEventType,
  { communityId, userId, accountId, at }: Record<'communityId' | 'userId' | 'accountId' | 'at', string>,
): CommunityEvent => ({
  ...{ id: createNameBasedUuid(type, communityId, userId, accountId, at), type, at },
  ...{ communityId, userId, accountId },
});

/**
 * A member has a wallet while the user is a member and the wallet is linked: from the later begin until the earlier end. These
 * are the events of one membership and link, which do not depend on the order in which both became known.
 */
export function toMemberWalletEvents(
  { communityId, userId, joinedAt, leftAt }: MembershipPeriod,
  { accountId, linkedAt, unlinkedAt }: WalletLink,
): CommunityEvent[] {
  const begin = laterOf(joinedAt, linkedAt);
  const end = leftAt && unlinkedAt ? earlierOf(leftAt, unlinkedAt) : (leftAt ?? unlinkedAt);
  if (end !== undefined && !isBefore(begin, end)) return [];
  const wallet = { communityId, userId, accountId };
  const linked = createMemberWalletEvent('wallet.linked', { ...wallet, at: begin });
  if (end === undefined) return [linked];
  return [linked, createMemberWalletEvent('wallet.unlinked', { ...wallet, at: end })];
}

const FRACTION = /(?:\.(\d+))?Z$/;

/** Times of databases have microseconds, others may have fewer digits. */
const toComparable = (time: string): string =>
  time.replace(FRACTION, (_, digits: string | undefined) => `.${(digits ?? '').padEnd(6, '0')}`);

export const isBefore = (one: string, other: string): boolean => toComparable(one) < toComparable(other);
const laterOf = (one: string, other: string): string => (isBefore(one, other) ? other : one);
const earlierOf = (one: string, other: string): string => (isBefore(one, other) ? one : other);
