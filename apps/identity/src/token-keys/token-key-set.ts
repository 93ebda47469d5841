import type { AeKey } from '@app/auth';
import { isSigning, type KeyTimes } from '@app/common';
import { isSecret, type SigningPair, signingPair } from './key-material.js';
import type { StoredTokenKey } from './token-key-store.js';
import type { TokenKeyUse } from './token-key-use.js';

type SecretUse = 'ae' | 'nonce';
export type SigningUse = Exclude<TokenKeyUse, SecretUse>;

type SecretKey = KeyTimes & AeKey & { readonly use: SecretUse };
type PairKey = KeyTimes & SigningPair & { readonly use: SigningUse };

/** The keys that our secret opens, the oldest first. */
export class TokenKeySet {
  private readonly secrets: readonly SecretKey[];
  private readonly pairs: readonly PairKey[];

  /** @param before what was opened before: parsing a private key is not free */
  constructor(stored: readonly StoredTokenKey[], before?: TokenKeySet) {
    const opened = new Map(before?.pairs.map((pair) => [pair.kid, pair]));
    const secrets: SecretKey[] = [];
    const pairs: PairKey[] = [];
    for (const { bytes, use, ...times } of stored) {
      if (!bytes) continue;
      if (isSecret(use)) secrets.push({ ...times, use, key: bytes });
      else pairs.push({ ...(opened.get(times.kid) ?? signingPair(times.kid, bytes)), ...times, use });
    }
    this.secrets = secrets;
    this.pairs = pairs;
  }

  secretsOf(use: SecretUse): readonly SecretKey[] {
    return this.secrets.filter((key) => key.use === use);
  }

  /** Those whose signatures anybody may check. */
  signing(): readonly PairKey[] {
    return this.pairs;
  }

  /** The newest that may be used at `now`. */
  secretAt(use: SecretUse, now: number): SecretKey | undefined {
    return this.secretsOf(use).findLast((key) => isSigning(key, now));
  }

  pairAt(use: SigningUse, now: number): PairKey | undefined {
    return this.pairs.findLast((key) => key.use === use && isSigning(key, now));
  }
}
