import type { KeyObject } from 'node:crypto';
import type { AeKey, NonceKey } from '@app/auth';
import { serviceUnavailable } from '@app/common';
import { type TokenKeys, tokenKeys } from '@app/dto';
import { RefreshingCache, type Logger } from '@app/service';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { PublicJwk } from './key-material.js';
import { type SigningUse, TokenKeySet } from './token-key-set.js';
import type { TokenKeyStore } from './token-key-store.js';

/** Well below the time between a key's publication and first use. */
const REFRESH_INTERVAL_MS = 5_000;

export interface TokenSigningKey {
  readonly kid: string;
  readonly alg: 'ES256' | 'RS256';
  readonly privateKey: KeyObject;
}

/**
 * Caches and rotates the token keys. Keeps using the loaded keys while PostgreSQL is unavailable. Every getter throws AppError
 * 503 until the first load.
 */
@Injectable()
export class TokenKeysService implements OnModuleInit, OnApplicationShutdown {
  private readonly keys: RefreshingCache<TokenKeySet>;
  private foreignKids: readonly string[] = [];

  constructor(
    private readonly store: TokenKeyStore,
    private readonly logger: Logger,
    private readonly clock: () => number = Date.now,
  ) {
    this.keys = new RefreshingCache({
      label: 'token keys',
      load: () => this.rotateAndLoad(),
      intervalMs: REFRESH_INTERVAL_MS,
      logger,
    });
  }

  onModuleInit(): void {
    this.keys.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.keys.stop();
  }

  /** Readiness check. @throws Error with the reason why no keys are loaded */
  checkLoaded(): void {
    this.keys.check();
  }

  /** Loads the keys, and rotates them when a rotation is due. */
  refresh(): Promise<void> {
    return this.keys.refresh();
  }

  /** The current signing key. */
  getSigningKey(use: SigningUse): TokenSigningKey {
    const { kid, alg, privateKey } = requireKeys(this.getLoaded().findSigningPairAt(use, this.clock()));
    return { kid, alg, privateKey };
  }

  /** The current encryption key of AE tokens. */
  getSealingKey(): AeKey {
    const { kid, key } = requireKeys(this.getLoaded().findSecretKeyAt('ae', this.clock()));
    return { kid, key };
  }

  /** The current key of sign-in nonces. */
  getNonceKey(): NonceKey {
    const { kid, key } = requireKeys(this.getLoaded().findSecretKeyAt('nonce', this.clock()));
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

  private async rotateAndLoad(): Promise<TokenKeySet> {
    const stored = await this.store.rotateAndLoad(this.clock());
    const foreignKids = stored.filter(({ isDecryptable }) => !isDecryptable).map(({ kid }) => kid);
    if (foreignKids.some((kid) => !this.foreignKids.includes(kid)))
      this.logger.warn(
        { kids: foreignKids },
        'ignoring token keys that were encrypted with another TOKEN_KEY_SECRET',
      );
    this.foreignKids = foreignKids;
    return new TokenKeySet(stored, this.keys.current);
  }

  private getLoaded(): TokenKeySet {
    return requireKeys(this.keys.current);
  }
}

function requireKeys<T>(keys: T | undefined): T {
  if (keys !== undefined) return keys;
  throw serviceUnavailable('token_keys_unavailable', 'The token keys are not loaded yet. Try again.', {
    retryAfter: 1,
  });
}
