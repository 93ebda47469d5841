import { createHash } from 'node:crypto';
import base58 from 'bs58';
import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { TOKEN_METADATA_PROGRAM_ID } from '../../reads/solana/token-metadata-layout.js';

/** Addresses that were derived before: a derivation takes several curve checks. */
const MAX_CACHED_ADDRESSES = 20_000;
const MARKER = Buffer.from('ProgramDerivedAddress');
const PREFIX = Buffer.from('metadata');
const PROGRAM = Buffer.from(base58.decode(TOKEN_METADATA_PROGRAM_ID));
const MAX_BUMP = 255;

const cache = new LRUCache<string, string>(boundEntries(MAX_CACHED_ADDRESSES));

/** The address of the metadata account of a mint: the program address of `metadata`, the program and the mint. */
export function findMetadataAddress(mint: string): string {
  let address = cache.get(mint);
  if (address === undefined) cache.set(mint, (address = deriveAddress(base58.decode(mint))));
  return address;
}

/** https://solana.com/docs/core/pda: the first hash that is no public key, by falling bumps. */
function deriveAddress(mint: Uint8Array): string {
  const prefix = createHash('sha256').update(PREFIX).update(PROGRAM).update(mint);
  for (let bump = MAX_BUMP; bump >= 0; bump -= 1) {
    const hash = prefix.copy().update(Uint8Array.of(bump)).update(PROGRAM).update(MARKER).digest();
    if (!isOnCurve(hash)) return base58.encode(hash);
  }
  throw new RangeError('the mint has no program address');
}

const FIELD = 2n ** 255n - 19n;
const Y_MASK = 2n ** 255n - 1n;
/** The constant of edwards25519 (RFC 8032, section 5.1). */
const D =
  37_095_705_934_669_439_343_138_083_508_754_565_189_542_113_879_843_219_016_388_785_533_085_940_283_555n;

/**
 * Whether 32 bytes are a public key: a point of edwards25519. A point with this y exists when (y² - 1) / (d y² + 1) is a
 * square, for which the Jacobi symbol is several times as fast as the square root that libraries compute.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & Y_MASK;
  if (y >= FIELD) return false;
  const ySquared = (y * y) % FIELD;
  const u = (ySquared + FIELD - 1n) % FIELD;
  // The sign of x = 0 must not be set.
  if (u === 0n) return ((bytes[31] ?? 0) & 0x80) === 0;
  return jacobi((u * (D * ySquared + 1n)) % FIELD, FIELD) === 1;
}

/** The Jacobi symbol of a non-negative number and an odd one. */
function jacobi(numerator: bigint, denominator: bigint): number {
  let [a, n] = [numerator, denominator];
  let symbol = 1;
  while (a !== 0n) {
    while ((a & 1n) === 0n) {
      a >>= 1n;
      const residue = n & 7n;
      if (residue === 3n || residue === 5n) symbol = -symbol;
    }
    // Quadratic reciprocity: both are odd.
    if ((a & 3n) === 3n && (n & 3n) === 3n) symbol = -symbol;
    [a, n] = [n % a, a];
  }
  return n === 1n ? symbol : 0;
}
