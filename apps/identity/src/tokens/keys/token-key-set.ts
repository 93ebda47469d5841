import type { AeKey } from '@app/auth';
import { isSigningKey, type RotatingKey } from '@app/common';
import { isSecretUse, type SigningKeyPair, toSigningKeyPair } from './key-material.js';
import type { StoredTokenKey } from './token-key-store.js';
import type { TokenKeyUse } from './token-key-use.js';

type SecretUse = 'ae' | 'nonce';
export type SigningUse = Exclude<TokenKeyUse, SecretUse>;

type SecretKey = RotatingKey & AeKey & { readonly use: SecretUse };
type SigningPairKey = RotatingKey & SigningKeyPair & { readonly use: SigningUse };

/** The keys that our secret opens, the oldest first. */
export class TokenKeySet {
  private readonly secrets: readonly SecretKey[];
  private readonly pairs: readonly SigningPairKey[];

  /** @param before what was opened before: parsing a private key is not free */
  constructor(stored: readonly StoredTokenKey[], before?: TokenKeySet) {
    const opened = new Map(before?.pairs.map((pair) => [pair.kid, pair]));
    const secrets: SecretKey[] = [];
    const pairs: SigningPairKey[] = [];
    for (const { bytes, use, ...times } of stored) {
      if (!bytes) continue;
      if (isSecretUse(use)) secrets.push({ ...times, use, key: bytes });
      else pairs.push({ ...(opened.get(times.kid) ?? toSigningKeyPair(times.kid, bytes)), ...times, use });
    }
    this.secrets = secrets;
    this.pairs = pairs;
  }

  getSecretKeys(use: SecretUse): readonly SecretKey[] {
    return this.secrets.filter((key) => key.use === use);
  }

  /** Those whose signatures anybody may check. */
  getSigningPairs(): readonly SigningPairKey[] {
    return this.pairs;
  }

  /** The newest that may be used at `now`. */
  findSecretKeyAt(use: SecretUse, now: number): SecretKey | undefined {
    return this.getSecretKeys(use).findLast((key) => isSigningKey(key, now));
  }

  findSigningPairAt(use: SigningUse, now: number): SigningPairKey | undefined {
    return this.pairs.findLast((key) => key.use === use && isSigningKey(key, now));
  }
}
