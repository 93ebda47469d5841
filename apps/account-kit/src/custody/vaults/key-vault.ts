import type { KeyInfo } from '../encode-key-info.js';
import { decryptAesGcm, encryptAesGcm } from '@app/common';

/** A private key, or another secret, that only the vault which sealed it can open. */
export interface SealedKey {
  /** Names the key that sealed it, or that encrypted its data key. */
  readonly wrappingKeyId: string;
  /** The encrypted key that sealed it, if it has one of its own. */
  readonly dataKey: Buffer | null;
  readonly sealedKey: Buffer;
}

/** Derives the keys of accounts from a root that it does not hand out, and seals keys and other secrets to be stored. */
export interface KeyVault {
  /** Names the key that seals now. */
  readonly wrappingKeyId: string;
  /** Names the root in rows without revealing it. */
  loadRootId(): Promise<string>;
  /** The 32-byte private key of secp256k1, or the seed of ed25519. It never changes. */
  derive(info: KeyInfo): Promise<Buffer>;
  /** A vault of another root that this configuration opens, too: of another version of the same key. */
  findOtherRoot(rootId: string): KeyVault | undefined;
  /** @param name as `encodeFields` writes names: what is sealed opens for the same name only */
  seal(name: Buffer, key: Buffer): Promise<SealedKey>;
  /** Whether the vault may open what this key has sealed. */
  canUnseal(wrappingKeyId: string): boolean;
  /** @throws Error if it was sealed for another name, or was changed */
  unseal(name: Buffer, sealed: SealedKey): Promise<Buffer>;
}

/** Binds what is sealed to its name, so that it opens for no other user, purpose or network. */
const associatedData = (name: Buffer): string => name.toString('hex');

export const sealKey = (wrappingKey: Buffer, name: Buffer, key: Buffer): Buffer =>
  encryptAesGcm(wrappingKey, key, associatedData(name));

/** @throws Error if it was sealed with another key, for another name, or was changed */
export function unsealKey(wrappingKey: Buffer, name: Buffer, sealed: Buffer): Buffer {
  const key = decryptAesGcm(wrappingKey, sealed, associatedData(name));
  if (key === undefined)
    throw new Error('what is sealed cannot be opened: it was changed or has another name');
  return key;
}

/** @returns a function that loads once, and again only after a load that failed */
export function rememberSuccess<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
