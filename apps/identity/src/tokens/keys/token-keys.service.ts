import type { KeyObject } from 'node:crypto';
import type { AeKey, NonceKey } from '@app/auth';
import { RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import { type TokenKeys, tokenKeys } from '@app/dto';
import { isSigningKey, KeyRing, type KeyStore, type RotatingKey, type StoredKey } from '@app/key-ring';
import type { Logger } from '@app/service';
import {
  isSecretUse,
  type PublicJwk,
  type SigningKeyPair,
  type TokenKeyUse,
  toSigningKeyPair,
} from './key-material.js';
type SecretUse = 'ae' | 'nonce';
type SigningUse = Exclude<TokenKeyUse, SecretUse>;

type SecretKey = RotatingKey & AeKey & { readonly use: SecretUse };
type SigningPairKey = RotatingKey & SigningKeyPair & { readonly use: SigningUse };

/** The keys that TOKEN_KEY_SECRET decrypts, oldest first. */
class TokenKeySet {
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

const REFRESH_INTERVAL_MS = 5_000;

export interface TokenSigningKey {
  readonly kid: string;
  readonly alg: 'ES256' | 'RS256';
  readonly privateKey: KeyObject;
}

/** The token keys. Every getter throws AppError 503 until the first load. */
export class TokenKeysService extends KeyRing<TokenKeyUse, TokenKeySet> {
  constructor(store: KeyStore<TokenKeyUse>, logger: Logger, clock: () => number = Date.now) {
    super({
      label: 'token keys',
      secretName: 'TOKEN_KEY_SECRET',
      store,
      toKeys: (stored, previous) => new TokenKeySet(stored, previous),
      refreshIntervalMs: REFRESH_INTERVAL_MS,
      logger,
      clock,
    });
  }

  /** The current signing key. */
  getSigningKey(use: SigningUse): TokenSigningKey {
    const { kid, alg, privateKey } = requireKeys(this.getLoaded().findSigningPairAt(use, this.now()));
    return { kid, alg, privateKey };
  }

  /** The current encryption key of AE tokens. */
  getSealingKey(): AeKey {
    const { kid, key } = requireKeys(this.getLoaded().findSecretKeyAt('ae', this.now()));
    return { kid, key };
  }

  /** The current key of sign-in nonces. */
  getNonceKey(): NonceKey {
    const { kid, key } = requireKeys(this.getLoaded().findSecretKeyAt('nonce', this.now()));
    return { kid, key };
  }

  findAeKey(kid: string): Buffer | undefined {
    return this.getLoaded()
      .getSecretKeys('ae')
      .find((key) => key.kid === kid)?.key;
  }

  findNonceKey(kid: string): Buffer | undefined {
    return this.getLoaded()
      .getSecretKeys('nonce')
      .find((key) => key.kid === kid)?.key;
  }

  /** Public keys of access and id tokens (RFC 7517), including keys that do not sign yet. */
  getPublicKeys(): PublicJwk[] {
    return this.getLoaded()
      .getSigningPairs()
      .map(({ publicJwk }) => publicJwk);
  }

  /** The keys with which gateways verify tokens, including keys that are not used yet. */
  getGatewayKeys(): TokenKeys {
    const keys = this.getLoaded();
    const secrets = (use: 'ae' | 'nonce') =>
      keys.getSecretKeys(use).map(({ kid, key }) => ({ kid, k: key.toString('base64url') }));
    const access = keys.getSigningPairs().filter(({ use }) => use === 'access');
    return tokenKeys.parse({
      access: access.map(({ publicJwk }) => publicJwk),
      ae: secrets('ae'),
      nonce: secrets('nonce'),
    });
  }

  private getLoaded(): TokenKeySet {
    return requireKeys(this.current);
  }
}

function requireKeys<T>(keys: T | undefined): T {
  if (keys !== undefined) return keys;
  throw serviceUnavailable('token_keys_unavailable', 'The token keys are not loaded yet. Try again.', {
    retryAfter: RETRY_AFTER_SECONDS.turn,
  });
}
