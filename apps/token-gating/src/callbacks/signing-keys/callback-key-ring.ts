import { isSigningKey, serviceUnavailable } from '@app/common';
import type { CallbackKeySet } from '@app/dto';
import { RefreshingCache, type Logger } from '@app/service';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { SigningKey } from '../sign-callback.js';
import type { CallbackKey } from './callback-key.js';
import type { CallbackKeyStore } from './callback-key-store.js';

/** Much shorter than the time that a key is published before it signs. */
const REFRESH_MS = 60_000;

/** Keeps the callback keys in memory and rotates them. While PostgreSQL is unavailable the loaded keys remain in use. */
export class CallbackKeyRing implements OnModuleInit, OnApplicationShutdown {
  private readonly cache: RefreshingCache<readonly CallbackKey[]>;

  constructor(
    private readonly store: CallbackKeyStore,
    private readonly logger: Logger,
    private readonly clock: () => number = Date.now,
  ) {
    const read = () => this.read();
    this.cache = new RefreshingCache({ label: 'callback keys', load: read, intervalMs: REFRESH_MS, logger });
  }

  onModuleInit(): void {
    this.cache.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.cache.stop();
  }

  /** Readiness check. @throws Error with the reason when no keys are loaded */
  checkLoaded(): void {
    this.cache.check();
  }

  /** Whether a key is in its signing period. */
  get canSign(): boolean {
    return this.cache.current !== undefined && this.getSigningKeys().length > 0;
  }

  /** Keys in their signing period, oldest first. @throws AppError 503 before keys are loaded */
  getSigningKeys(): readonly SigningKey[] {
    const now = this.clock();
    return this.loaded().flatMap((key) => {
      const { kid, privateKey } = key;
      return privateKey && isSigningKey(key, now) ? [{ kid, privateKey }] : [];
    });
  }

  /** JWK set for receivers (RFC 7517). @throws AppError 503 before keys are loaded */
  getPublicKeys(): CallbackKeySet {
    const keys = this.loaded().map(({ kid, x }) => ({
      kty: 'OKP' as const,
      crv: 'Ed25519' as const,
      alg: 'EdDSA' as const,
      use: 'sig' as const,
      kid,
      x,
    }));
    return { keys };
  }

  /** Loads the keys and rotates them when due. */
  refresh(): Promise<void> {
    return this.cache.refresh();
  }

  private async read(): Promise<readonly CallbackKey[]> {
    const keys = await this.store.rotateKeys(this.clock());
    const unreadable = keys.filter(({ isDecryptable }) => !isDecryptable).map(({ kid }) => kid);
    const known = this.cache.current?.map(({ kid }) => kid) ?? [];
    if (unreadable.some((kid) => !known.includes(kid)))
      this.logger.warn(
        { kids: unreadable },
        'callback keys were encrypted with another CALLBACK_KEY_SECRET and cannot sign',
      );
    return keys;
  }

  private loaded(): readonly CallbackKey[] {
    if (this.cache.current) return this.cache.current;
    throw serviceUnavailable('callback_keys_unavailable', 'The callback signing keys are not loaded yet.', {
      retryAfter: 1,
    });
  }
}
