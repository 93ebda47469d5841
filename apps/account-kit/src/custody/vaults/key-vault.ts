import type { KeyInfo } from '../encode-key-info.js';

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
