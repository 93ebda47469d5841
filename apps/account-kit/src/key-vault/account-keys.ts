import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import bs58 from 'bs58';
import type { PrivateKeyAccount } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { bytesToHex } from 'viem/utils';
import type { KeyInfo, KeyPurpose } from './encode-key-info.js';

export type SolanaNetwork = 'SOL' | 'SOL_DEVNET';

/** Names a key of an account. */
export type AccountKeyName = Pick<KeyInfo, 'curve' | 'purpose' | 'network'>;

/** PKCS #8 of an Ed25519 key (RFC 8410) before its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_BYTES = 32;
const ALL_NETWORKS = '';

/** The key of an EVM account: the same on all chains. */
export const evmKeyName = (purpose: KeyPurpose): AccountKeyName => ({
  curve: 'secp256k1',
  purpose,
  network: ALL_NETWORKS,
});

/** Each network has a key of its own, so that what is signed for the test network means nothing on the main one. */
export const solanaKeyName = (network: SolanaNetwork): AccountKeyName => ({
  curve: 'ed25519',
  purpose: 'account',
  network,
});

/** All keys of an account. */
export const ACCOUNT_KEY_NAMES: readonly AccountKeyName[] = [
  evmKeyName('account'),
  evmKeyName('action'),
  solanaKeyName('SOL'),
  solanaKeyName('SOL_DEVNET'),
];

export const toEvmKey = (key: Buffer): PrivateKeyAccount => privateKeyToAccount(bytesToHex(key));

export const toSolanaKey = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });

/** The base58 address of a key. */
export const toSolanaAddress = (key: KeyObject): string =>
  bs58.encode(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES));

/** The address of a key as it is stored with its account. */
export const toAddress = ({ curve }: AccountKeyName, key: Buffer): string =>
  curve === 'secp256k1' ? toEvmKey(key).address : toSolanaAddress(toSolanaKey(key));

/** @returns 64 bytes (RFC 8032) */
export const signSolanaMessage = (key: KeyObject, message: Uint8Array): Buffer => sign(null, message, key);
