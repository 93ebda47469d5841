import { type Logger, RefreshingCache } from '@app/service';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { KeyStore, StoredKey } from './key-store.js';

export interface KeyRingOptions<Use extends string, Keys> {
  /** Used in log lines, such as `token keys`. */
  readonly label: string;
  /** Name of the variable that holds the secret, for log lines. */
  readonly secretName: string;
  readonly store: KeyStore<Use>;
  /** @param previous what it returned at the last load */
  readonly toKeys: (stored: readonly StoredKey<Use>[], previous: Keys | undefined) => Keys;
  /** Well below the time between a key's publication and its first use. */
  readonly refreshIntervalMs: number;
  readonly logger: Logger;
  readonly clock: () => number;
}

/**
 * Caches rotating keys, and rotates them when due. Keeps using the loaded keys while PostgreSQL is unavailable. A feature
 * extends it as a provider, with getters that throw AppError 503 before the first load.
 */
export abstract class KeyRing<Use extends string, Keys> implements OnModuleInit, OnApplicationShutdown {
  private readonly cache: RefreshingCache<Keys>;
  private undecryptableKids: readonly string[] = [];

  constructor(private readonly options: KeyRingOptions<Use, Keys>) {
    const { label, refreshIntervalMs: intervalMs, logger } = options;
    this.cache = new RefreshingCache({ label, load: () => this.rotateAndLoad(), intervalMs, logger });
  }

  onModuleInit(): void {
    this.cache.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.cache.stop();
  }

  /** Readiness check. @throws Error with the reason why no keys are loaded */
  checkLoaded(): void {
    this.cache.check();
  }

  /** Loads the keys, and rotates them when a rotation is due. */
  refresh(): Promise<void> {
    return this.cache.refresh();
  }

  /** Undefined before the first load. */
  protected get current(): Keys | undefined {
    return this.cache.current;
  }

  /** Unix milliseconds. */
  protected now(): number {
    return this.options.clock();
  }

  private async rotateAndLoad(): Promise<Keys> {
    const { store, toKeys } = this.options;
    const stored = await store.rotateAndLoad(this.now());
    this.logUndecryptable(stored.filter(({ isDecryptable }) => !isDecryptable).map(({ kid }) => kid));
    return toKeys(stored, this.cache.current);
  }

  private logUndecryptable(kids: readonly string[]): void {
    const { label, secretName, logger } = this.options;
    if (kids.some((kid) => !this.undecryptableKids.includes(kid)))
      logger.warn({ kids }, `${label} were encrypted with another ${secretName} and cannot be used`);
    this.undecryptableKids = kids;
  }
}
