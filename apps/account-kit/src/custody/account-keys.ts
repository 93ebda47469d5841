import { toSolanaAddress, toSolanaKey } from '../solana/messages/solana-keys.js';
import type { SolanaNetwork } from '../solana/messages/solana-network.js';
import { createEvmKey, type EvmKey } from './create-evm-key.js';
import type { KeyInfo, KeyPurpose } from './encode-key-info.js';

/** Names a key of an account. */
export type AccountKeyName = Pick<KeyInfo, 'curve' | 'purpose' | 'network'>;

const ALL_NETWORKS = '';

/** The key of an EVM account: the same on all chains. */
export const evmKeyName = (purpose: KeyPurpose): AccountKeyName => ({
  curve: 'secp256k1',
  purpose,
  network: ALL_NETWORKS,
});

/** The key with which custom actions of one client application sign for an account. */
export const actionKeyName = (clientId: string): AccountKeyName & { readonly clientId: string } => ({
  ...evmKeyName('action'),
  clientId,
});

/** Each network has a key of its own, so that what is signed for the test network means nothing on the main one. */
export const solanaKeyName = (network: SolanaNetwork): AccountKeyName => ({
  curve: 'ed25519',
  purpose: 'account',
  network,
});

/** All keys of an account, except for those of single client applications. */
export const ACCOUNT_KEY_NAMES: readonly AccountKeyName[] = [
  evmKeyName('account'),
  evmKeyName('action'),
  solanaKeyName('SOL'),
  solanaKeyName('SOL_DEVNET'),
];

export const toEvmKey = (key: Buffer): EvmKey => createEvmKey(key);

/** The address of a key as it is stored with its account. */
export const toAddress = ({ curve }: AccountKeyName, key: Buffer): string =>
  curve === 'secp256k1' ? toEvmKey(key).address : toSolanaAddress(toSolanaKey(key));
