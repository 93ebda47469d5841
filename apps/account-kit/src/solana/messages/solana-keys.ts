import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { isValidEd25519SignatureOnThread } from '@app/chain/sign-in';
import bs58 from 'bs58';

/** PKCS #8 of an Ed25519 key (RFC 8410) before its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_BYTES = 32;

export const toSolanaKey = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });

/** Deriving one takes longer than a signature. Keys that are kept sign many messages, and a key never changes. */
const addresses = new WeakMap<KeyObject, string>();

/** The base58 address of a key. */
export function toSolanaAddress(key: KeyObject): string {
  const known = addresses.get(key);
  if (known !== undefined) return known;
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const address = bs58.encode(publicKey.subarray(-PUBLIC_KEY_BYTES));
  addresses.set(key, address);
  return address;
}

/**
 * Signs, and verifies on a thread of Node's pool, because that takes three times as long. A wrong signature, after a fault of the
 * processor or its memory, may tell the private key (https://eprint.iacr.org/2017/1014), so that none is returned before it is verified.
 * @param address of the key, base58
 * @returns 64 bytes (RFC 8032)
 */
export async function signSolanaMessage(
  key: KeyObject,
  { message, address }: { readonly message: Uint8Array; readonly address: string },
): Promise<Buffer> {
  const signature = sign(null, message, key);
  const publicKey = bs58.decode(address);
  if (!(await isValidEd25519SignatureOnThread({ message, key: publicKey, signature })))
    throw new Error(`the signature is not one of ${address}`);
  return signature;
}
