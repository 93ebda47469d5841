import { setTimeout as sleep } from 'node:timers/promises';
import { serviceUnavailable } from '@app/common';
import type { CallbackKeySet } from '@app/dto';
import type { Logger } from '@app/service';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { SigningKey } from '../sign-callback.js';
import type { CallbackKey } from './callback-key.js';
import type { CallbackKeyStore } from './callback-key-store.js';
import { isSigning } from './key-schedule.js';

/** Short beside the time that a key is published before it signs. */
const REFRESH_MS = 60_000;
const FIRST_REFRESH_MS = 1_000;

/** The callback keys in memory, and the clockwork that rotates them. While PostgreSQL is away the known ones go on. */
export class CallbackKeys implements OnModuleInit, OnApplicationShutdown {
  private keys: readonly CallbackKey[] | undefined;
  private problem = 'not loaded yet';
  private readonly ending = new AbortController();
  private refreshing: Promise<void> | undefined;

  constructor(
    private readonly store: CallbackKeyStore,
    private readonly logger: Logger,
    private readonly clock: () => number = Date.now,
  ) {}

  onModuleInit(): void {
    this.refreshing = this.keepFresh();
  }

  async onApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await this.refreshing;
  }

  /** For readiness. @throws Error that says why there are no keys */
  check(): void {
    if (!this.keys) throw new Error(this.problem);
  }

  /** Whether any key signs now. */
  get canSign(): boolean {
    return this.keys !== undefined && this.signingKeys().length > 0;
  }

  /** Those that sign now, the oldest first. @throws AppError 503 before they were loaded */
  signingKeys(): readonly SigningKey[] {
    const now = this.clock();
    return this.loaded().flatMap((key) => {
      const { kid, privateKey } = key;
      return privateKey && isSigning(key, now) ? [{ kid, privateKey }] : [];
    });
  }

  /** Those that receivers should know, RFC 7517. @throws AppError 503 before they were loaded */
  publicKeys(): CallbackKeySet {
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
  async refresh(): Promise<void> {
    const keys = await this.store.keysAt(this.clock());
    const lost = keys.filter(({ isOurs }) => !isOurs).map(({ kid }) => kid);
    const known = this.keys?.map(({ kid }) => kid) ?? [];
    if (lost.some((kid) => !known.includes(kid)))
      this.logger.warn(
        { lost },
        'callback keys were sealed under another CALLBACK_KEY_SECRET and cannot sign',
      );
    this.keys = keys;
  }

  private loaded(): readonly CallbackKey[] {
    if (this.keys) return this.keys;
    throw serviceUnavailable(
      'no_callback_keys',
      'The keys that callbacks are signed with are not there yet.',
      {
        retryAfter: 1,
      },
    );
  }

  private async keepFresh(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      try {
        await this.refresh();
      } catch (error) {
        this.problem = error instanceof Error ? error.message : 'unknown';
        // At the start the database may not be connected yet: until the first keys are there, readiness says so.
        const level = this.keys ? 'warn' : 'debug';
        this.logger[level]({ reason: this.problem }, 'could not refresh the callback keys');
      }
      const pause = this.keys ? REFRESH_MS : FIRST_REFRESH_MS;
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
