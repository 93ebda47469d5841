import { createHash } from 'node:crypto';
import { toBase62 } from '@app/common';
import type { UserPlatform } from '@app/dto';

const ID_BYTES = 16;
const ID_DIGITS = 22;

/**
 * Derives a user id from the identity on a platform, so that the gateway needs no look-up after it verified a signature.
 * @param platformUserId on `ethereum` the lower-case address, or the CAIP-10 account id of a contract wallet, which is
 * valid on one chain only (contract.md section 4); on `solana` the address
 */
export function deriveUserId(platform: UserPlatform, platformUserId: string): string {
  const digest = createHash('sha256').update(`${platform}:${platformUserId}`).digest();
  return `user_${toBase62(digest.subarray(0, ID_BYTES), ID_DIGITS)}`;
}
