import { isSigningKey, serviceUnavailable } from '@app/common';
import type { CallbackKeySet } from '@app/dto';
import { RefreshingCache, type Logger } from '@app/service';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { SigningKey } from '../sign-callback.js';
import type { CallbackKey } from './callback-key.js';
import type { CallbackKeyStore } from './callback-key-store.js';

/** Short beside the time that a key is published before it signs. */
const REFRESH_MS = 60_000;

/** The callback keys in memory, and the clockwork that rotates them. While PostgreSQL is away the known ones go on. */
export class CallbackKeyRing implements OnModuleInit, OnApplicationShutdown {
  private readonly keys: RefreshingCache<readonly CallbackKey[]>;

  constructor(
    private readonly store: CallbackKeyStore,
    private readonly logger: Logger,
    private readonly clock: () => number = Date.now,
  ) {
    const read = () => this.read();
    this.keys = new RefreshingCache({ label: 'callback keys', load: read, intervalMs: REFRESH_MS, logger });
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

  /** Whether any key signs now. */
  get canSign(): boolean {
    return this.keys.current !== undefined && this.getSigningKeys().length > 0;
  }

  /** Those that sign now, the oldest first. @throws AppError 503 before they were loaded */
  getSigningKeys(): readonly SigningKey[] {
    const now = this.clock();
    return this.loaded().flatMap((key) => {
      const { kid, privateKey } = key;
      return privateKey && isSigningKey(key, now) ? [{ kid, privateKey }] : [];
    });
  }

  /** Those that receivers should know, RFC 7517. @throws AppError 503 before they were loaded */
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

  /** Reads the keys and rotates them when that is due. */
  refresh(): Promise<void> {
    return this.keys.refresh();
  }

  private async read(): Promise<readonly CallbackKey[]> {
    const keys = await this.store.rotateKeys(this.clock());
    const lost = keys.filter(({ isOurs }) => !isOurs).map(({ kid }) => kid);
    const known = this.keys.current?.map(({ kid }) => kid) ?? [];
    if (lost.some((kid) => !known.includes(kid)))
      this.logger.warn(
        { lost },
        'callback keys were sealed under another CALLBACK_KEY_SECRET and cannot sign',
      );
    return keys;
  }

  private loaded(): readonly CallbackKey[] {
    if (this.keys.current) return this.keys.current;
    throw serviceUnavailable(
      'callback_keys_unavailable',
      'The keys that callbacks are signed with are not there yet.',
      {
        retryAfter: 1,
      },
    );
  }
}
