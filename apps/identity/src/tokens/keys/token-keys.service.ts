import type { KeyObject } from 'node:crypto';
import type { AeKey, NonceKey } from '@app/auth';
import { serviceUnavailable } from '@app/common';
import { type TokenKeys as GatewayKeys, tokenKeys as gatewayKeys } from '@app/dto';
import { RefreshingCache, type Logger } from '@app/service';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { PublicJwk } from './key-material.js';
import { type SigningUse, TokenKeySet } from './token-key-set.js';
import type { TokenKeyStore } from './token-key-store.js';

/** Short beside the time that a key is published before it is used; the first ones are used at once. */
const REFRESH_INTERVAL_MS = 5_000;

export interface TokenSigningKey {
  readonly kid: string;
  readonly alg: 'ES256' | 'RS256';
  readonly privateKey: KeyObject;
}

/**
 * The keys of tokens in memory, and the clockwork that rotates them. While PostgreSQL is away the known ones go on.
 * Everything throws AppError 503 before they were loaded.
 */
@Injectable()
export class TokenKeysService implements OnModuleInit, OnApplicationShutdown {
  private readonly keys: RefreshingCache<TokenKeySet>;
  private lost: readonly string[] = [];

  constructor(
    private readonly store: TokenKeyStore,
    private readonly logger: Logger,
    private readonly clock: () => number = Date.now,
  ) {
    const read = () => this.read();
    this.keys = new RefreshingCache({
      label: 'token keys',
      load: read,
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

  /** For readiness. @throws Error that says why there are no keys */
  checkLoaded(): void {
    this.keys.check();
  }

  /** Reads the keys and rotates them when that is due. */
  refresh(): Promise<void> {
    return this.keys.refresh();
  }

  /** What signs tokens of this kind now. */
  getSigningKey(use: SigningUse): TokenSigningKey {
    const { kid, alg, privateKey } = requireKeys(this.loaded().findSigningPairAt(use, this.clock()));
    return { kid, alg, privateKey };
  }

  /** What seals AE tokens now. */
  getSealingKey(): AeKey {
    const { kid, key } = requireKeys(this.loaded().findSecretKeyAt('ae', this.clock()));
    return { kid, key };
  }

  /** What makes nonces now. */
  getNonceKey(): NonceKey {
    const { kid, key } = requireKeys(this.loaded().findSecretKeyAt('nonce', this.clock()));
    return { kid, key };
  }

  findAeKey(kid: string): Buffer | undefined {
    return this.loaded()
      .getSecretKeys('ae')
      .find((key) => key.kid === kid)?.key;
  }

  findNonceKey(kid: string): Buffer | undefined {
    return this.loaded()
      .getSecretKeys('nonce')
      .find((key) => key.kid === kid)?.key;
  }

  /** Of access and id tokens, RFC 7517; those of the future too. */
  getPublicKeys(): PublicJwk[] {
    return this.loaded()
      .getSigningPairs()
      .map(({ publicJwk }) => publicJwk);
  }

  /** What the gateway checks tokens with; those of the future too. */
  getGatewayKeys(): GatewayKeys {
    const keys = this.loaded();
    const secrets = (use: 'ae' | 'nonce') =>
      keys.getSecretKeys(use).map(({ kid, key }) => ({ kid, k: key.toString('base64url') }));
    const access = keys.getSigningPairs().filter(({ use }) => use === 'access');
    return gatewayKeys.parse({
      access: access.map(({ publicJwk }) => publicJwk),
      ae: secrets('ae'),
      nonce: secrets('nonce'),
    });
  }

  private async read(): Promise<TokenKeySet> {
    const stored = await this.store.rotateAndLoad(this.clock());
    const lost = stored.filter(({ isOurs }) => !isOurs).map(({ kid }) => kid);
    if (lost.some((kid) => !this.lost.includes(kid)))
      this.logger.warn({ lost }, 'token keys were sealed under another TOKEN_KEY_SECRET and are not used');
    this.lost = lost;
    return new TokenKeySet(stored, this.keys.current);
  }

  private loaded(): TokenKeySet {
    return requireKeys(this.keys.current);
  }
}

function requireKeys<T>(keys: T | undefined): T {
  if (keys !== undefined) return keys;
  throw serviceUnavailable('token_keys_unavailable', 'The keys of tokens are not there yet.', {
    retryAfter: 1,
  });
}
