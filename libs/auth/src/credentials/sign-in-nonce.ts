import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { toBase62 } from '@app/common';

/** What a nonce was made for. It is good for nothing else: a login signature is never a credential. */
export interface NonceBinding {
  readonly purpose: 'login' | 'credential';
  /** The client application that asked for the challenge. */
  readonly clientId: string;
  /** As the message has it; empty where the challenge named nobody. */
  readonly address: string;
  /** The message's Expiration Time, as text. */
  readonly expirationTime: string;
}

export interface NonceKey {
  /** Eight letters or digits. */
  readonly kid: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

const RANDOM_BYTES = 12;
const RANDOM_DIGITS = 17;
const MAC_BYTES = 16;
const MAC_DIGITS = 22;
const NONCE_PATTERN = new RegExp(
  `^([0-9A-Za-z]{8})([0-9A-Za-z]{${RANDOM_DIGITS}})[0-9A-Za-z]{${MAC_DIGITS}}$`,
);

/** A nonce of EIP-4361, letters and digits: the key's id, chance, and a MAC over both and what it was made for. */
export function createSignInNonce(binding: NonceBinding, { kid, key }: NonceKey): string {
  const chance = toBase62(randomBytes(RANDOM_BYTES), RANDOM_DIGITS);
  return kid + chance + computeMac(binding, kid + chance, key);
}

/** Whether one of our keys made this nonce for exactly this. */
export function isValidSignInNonce(
  binding: NonceBinding,
  nonce: string,
  keyOf: (kid: string) => Buffer | undefined,
): boolean {
  const [, kid, chance] = NONCE_PATTERN.exec(nonce) ?? [];
  if (kid === undefined || chance === undefined) return false;
  const key = keyOf(kid);
  if (!key) return false;
  const expected = kid + chance + computeMac(binding, kid + chance, key);
  return timingSafeEqual(Buffer.from(expected), Buffer.from(nonce));
}

function computeMac(
  { purpose, clientId, address, expirationTime }: NonceBinding,
  head: string,
  key: Buffer,
): string {
  // As JSON, so that no two bindings are the same bytes.
  const bytes = JSON.stringify([purpose, head, clientId, address, expirationTime]);
  return toBase62(createHmac('sha256', key).update(bytes).digest().subarray(0, MAC_BYTES), MAC_DIGITS);
}
