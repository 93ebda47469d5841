import type { KeyObject } from 'node:crypto';
import type { AeKey, NonceKey } from '@app/auth';
import { serviceUnavailable } from '@app/common';
import { type TokenKeys as GatewayKeys, tokenKeys as gatewayKeys } from '@app/dto';
import { KeptFresh, type Logger } from '@app/service';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { PublicJwk } from './key-material.js';
import { type SigningUse, TokenKeySet } from './token-key-set.js';
import type { TokenKeyStore } from './token-key-store.js';

/** Short beside the time that a key is published before it is used; the first ones are used at once. */
const REFRESH_MS = 5_000;

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
export class TokenKeys implements OnModuleInit, OnApplicationShutdown {
  private readonly keys: KeptFresh<TokenKeySet>;
  private lost: readonly string[] = [];

  constructor(
    private readonly store: TokenKeyStore,
    private readonly logger: Logger,
    private readonly clock: () => number = Date.now,
  ) {
    const read = () => this.read();
    this.keys = new KeptFresh({ what: 'token keys', read, everyMs: REFRESH_MS, logger });
  }

  onModuleInit(): void {
    this.keys.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.keys.stop();
  }

  /** For readiness. @throws Error that says why there are no keys */
  check(): void {
    this.keys.check();
  }

  /** Reads the keys and rotates them when that is due. */
  refresh(): Promise<void> {
    return this.keys.refresh();
  }

  /** What signs tokens of this kind now. */
  signing(use: SigningUse): TokenSigningKey {
    const { kid, alg, privateKey } = found(this.loaded().pairAt(use, this.clock()));
    return { kid, alg, privateKey };
  }

  /** What seals AE tokens now. */
  sealing(): AeKey {
    const { kid, key } = found(this.loaded().secretAt('ae', this.clock()));
    return { kid, key };
  }

  /** What makes nonces now. */
  nonceKey(): NonceKey {
    const { kid, key } = found(this.loaded().secretAt('nonce', this.clock()));
    return { kid, key };
  }

  aeKeyOf(kid: string): Buffer | undefined {
    return this.loaded()
      .secretsOf('ae')
      .find((key) => key.kid === kid)?.key;
  }

  nonceKeyOf(kid: string): Buffer | undefined {
    return this.loaded()
      .secretsOf('nonce')
      .find((key) => key.kid === kid)?.key;
  }

  /** Of access and id tokens, RFC 7517; those of the future too. */
  publicKeys(): PublicJwk[] {
    return this.loaded()
      .signing()
      .map(({ publicJwk }) => publicJwk);
  }

  /** What the gateway checks tokens with; those of the future too. */
  gatewayKeys(): GatewayKeys {
    const keys = this.loaded();
    const secrets = (use: 'ae' | 'nonce') =>
      keys.secretsOf(use).map(({ kid, key }) => ({ kid, k: key.toString('base64url') }));
    const access = keys.signing().filter(({ use }) => use === 'access');
    return gatewayKeys.parse({
      access: access.map(({ publicJwk }) => publicJwk),
      ae: secrets('ae'),
      nonce: secrets('nonce'),
    });
  }

  private async read(): Promise<TokenKeySet> {
    const stored = await this.store.keysAt(this.clock());
    const lost = stored.filter(({ isOurs }) => !isOurs).map(({ kid }) => kid);
    if (lost.some((kid) => !this.lost.includes(kid)))
      this.logger.warn({ lost }, 'token keys were sealed under another TOKEN_KEY_SECRET and are not used');
    this.lost = lost;
    return new TokenKeySet(stored, this.keys.current);
  }

  private loaded(): TokenKeySet {
    return found(this.keys.current);
  }
}

function found<T>(keys: T | undefined): T {
  if (keys !== undefined) return keys;
  throw serviceUnavailable('no_token_keys', 'The keys of tokens are not there yet.', { retryAfter: 1 });
}
