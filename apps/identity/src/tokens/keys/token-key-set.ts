import type { AeKey } from '@app/auth';
import { isSigningKey, type RotatingKey, type StoredKey } from '@app/key-ring';
import { isSecretUse, type SigningKeyPair, toSigningKeyPair } from './key-material.js';
import type { TokenKeyUse } from './token-key-use.js';

type SecretUse = 'ae' | 'nonce';
export type SigningUse = Exclude<TokenKeyUse, SecretUse>;

type SecretKey = RotatingKey & AeKey & { readonly use: SecretUse };
type SigningPairKey = RotatingKey & SigningKeyPair & { readonly use: SigningUse };

/** The keys that TOKEN_KEY_SECRET decrypts, oldest first. */
export class TokenKeySet {
  private readonly secrets: readonly SecretKey[];
  private readonly pairs: readonly SigningPairKey[];

  /** @param previous the set before, whose parsed private keys are reused */
  constructor(stored: readonly StoredKey<TokenKeyUse>[], previous?: TokenKeySet) {
    const parsed = new Map(previous?.pairs.map((pair) => [pair.kid, pair]));
    const secrets: SecretKey[] = [];
    const pairs: SigningPairKey[] = [];
    for (const { bytes, use, ...times } of stored) {
      if (!bytes) continue;
      if (isSecretUse(use)) secrets.push({ ...times, use, key: bytes });
      else pairs.push({ ...(parsed.get(times.kid) ?? toSigningKeyPair(times.kid, bytes)), ...times, use });
    }
    this.secrets = secrets;
    this.pairs = pairs;
  }

  getSecretKeys(use: SecretUse): readonly SecretKey[] {
    return this.secrets.filter((key) => key.use === use);
  }

  getSigningPairs(): readonly SigningPairKey[] {
    return this.pairs;
  }

  /** The newest key that may be used at `now`, unix milliseconds. */
  findSecretKeyAt(use: SecretUse, now: number): SecretKey | undefined {
    return this.getSecretKeys(use).findLast((key) => isSigningKey(key, now));
  }

  findSigningPairAt(use: SigningUse, now: number): SigningPairKey | undefined {
    return this.pairs.findLast((key) => key.use === use && isSigningKey(key, now));
  }
}
