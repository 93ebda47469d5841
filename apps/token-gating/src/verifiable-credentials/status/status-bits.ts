import { deflateSync } from 'node:zlib';

/** Entries of a status list: 16 KiB before compression, as one bit each. */
export const STATUS_LIST_ENTRIES = 2 ** 17;

/** The most entries of a list that are used: a random free one is then found in two attempts on average. */
export const MAX_USED_ENTRIES = STATUS_LIST_ENTRIES / 2;

const MAX_COMPRESSION = 9;

/**
 * The `lst` of a Token Status List: one bit an entry, the lowest bit of a byte first, compressed as zlib and in base64url.
 * @param revoked entries whose bit is set
 */
export function encodeStatusList(revoked: readonly number[], entries = STATUS_LIST_ENTRIES): string {
  const bits = Buffer.alloc(entries / 8);
  for (const entry of revoked) {
    if (!Number.isInteger(entry) || entry < 0 || entry >= entries)
      throw new RangeError(`A status list of ${entries} has no entry ${entry}`);
    const byte = entry >> 3;
    bits[byte] = (bits[byte] ?? 0) | (1 << (entry & 7));
  }
  return deflateSync(bits, { level: MAX_COMPRESSION }).toString('base64url');
}
