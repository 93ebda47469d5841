import { createHash } from 'node:crypto';
import { toBase62 } from '@app/common';
import type { UserPlatform } from '@app/dto';

const ID_BYTES = 16;
const ID_DIGITS = 22;

/**
 * The id of a user follows from who they are on their platform, so that a gateway that has checked a wallet's signature
 * needs nobody to tell it who that is.
 * @param platformUserId on `ethereum` the address in lower case, or, for a contract account, its CAIP-10 id: it counts
 * on the chain it was proven on only (contract.md section 4); on `solana` the address
 */
export function deriveUserId(platform: UserPlatform, platformUserId: string): string {
  const digest = createHash('sha256').update(`${platform}:${platformUserId}`).digest();
  return `user_${toBase62(digest.subarray(0, ID_BYTES), ID_DIGITS)}`;
}
