import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { toBase62 } from '@app/common';

/** What a nonce is valid for. The purpose keeps a login signature from being used as a credential. */
export interface NonceBinding {
  readonly purpose: 'login' | 'credential';
  /** The client application that requested the challenge. */
  readonly clientId: string;
  /** The whole message, with `NONCE_PLACEHOLDER` as its nonce. */
  readonly text: string;
}

/** Stands for the nonce in the text that the nonce is bound to. Valid by EIP-4361, so that such a message can be formatted. */
export const NONCE_PLACEHOLDER = '00000000';

export interface NonceKey {
  /** Eight alphanumeric characters. */
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

/** An EIP-4361 nonce (alphanumeric): key id, random part, and a MAC over both and the binding. Needs no storage. */
export function createSignInNonce(binding: NonceBinding, { kid, key }: NonceKey): string {
  const random = toBase62(randomBytes(RANDOM_BYTES), RANDOM_DIGITS);
  return kid + random + computeMac(binding, kid + random, key);
}

/** Whether a nonce was created with one of the keys for exactly this binding. */
export function isValidSignInNonce(
  binding: NonceBinding,
  nonce: string,
  findKey: (kid: string) => Buffer | undefined,
): boolean {
  const [, kid, random] = NONCE_PATTERN.exec(nonce) ?? [];
  if (kid === undefined || random === undefined) return false;
  const key = findKey(kid);
  if (!key) return false;
  const expected = kid + random + computeMac(binding, kid + random, key);
  return timingSafeEqual(Buffer.from(expected), Buffer.from(nonce));
}

function computeMac({ purpose, clientId, text }: NonceBinding, prefix: string, key: Buffer): string {
  // JSON, so that different bindings are different bytes.
  const bytes = JSON.stringify([purpose, prefix, clientId, text]);
  return toBase62(createHmac('sha256', key).update(bytes).digest().subarray(0, MAC_BYTES), MAC_DIGITS);
}
