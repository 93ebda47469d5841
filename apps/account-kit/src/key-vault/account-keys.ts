import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import bs58 from 'bs58';
import type { PrivateKeyAccount } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { bytesToHex } from 'viem/utils';
import type { PlatformUser } from '../platforms/platform-user.js';
import { deriveAccountKey, type KeyRoot } from './derive-account-key.js';
import type { KeyPurpose } from './encode-key-info.js';

export type SolanaNetwork = 'SOL' | 'SOL_DEVNET';

/** PKCS #8 of an Ed25519 key (RFC 8410) before its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_BYTES = 32;
const ALL_NETWORKS = '';

/** The key of an EVM account: the same on all chains. */
export const deriveEvmKey = (root: KeyRoot, user: PlatformUser, purpose: KeyPurpose): PrivateKeyAccount =>
  privateKeyToAccount(
    bytesToHex(deriveAccountKey(root, { curve: 'secp256k1', purpose, ...user, network: ALL_NETWORKS })),
  );

/** Each network has a key of its own, so that what is signed for the test network means nothing on the main one. */
export function deriveSolanaKey(root: KeyRoot, user: PlatformUser, network: SolanaNetwork): KeyObject {
  const seed = deriveAccountKey(root, { curve: 'ed25519', purpose: 'account', ...user, network });
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

/** The base58 address of a key. */
export const toSolanaAddress = (key: KeyObject): string =>
  bs58.encode(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES));

/** @returns 64 bytes (RFC 8032) */
export const signSolanaMessage = (key: KeyObject, message: Uint8Array): Buffer => sign(null, message, key);
