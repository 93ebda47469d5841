import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { RefreshingCache, ServiceContext } from '@app/service';
import { Gauge } from 'prom-client';
import { IdentityClient, MAX_STALENESS_MS } from './identity-client.js';
import { type TokenKeyTypes, TokenKeySet } from './token-key-set.js';
import { credentialsUnavailable } from './credentials.errors.js';

const REFRESH_INTERVAL_MS = 3_000;
/** Anybody can name a key that nobody has: no more than one question comes of it in this time. */
const MIN_REFETCH_INTERVAL_MS = 1_000;

/** Looks up a key by its id. */
export type FindKey<Kind extends keyof TokenKeyTypes> = (kid: string) => TokenKeyTypes[Kind] | undefined;

/** Identity's keys of tokens. While identity is gone they go on for as long as everything else that it said. */
@Injectable()
export class TokenKeyCache implements OnModuleInit, OnApplicationShutdown {
  private readonly kept: RefreshingCache<TokenKeySet>;
  private readonly listeners: (() => void)[] = [];
  private heardAtMs = -Infinity;
  private looking: Promise<boolean> | undefined;
  private lookAgainAtMs = -Infinity;
  private lastLookSucceeded = false;

  constructor(identity: IdentityClient, { logger, metrics, readiness }: ServiceContext) {
    this.kept = new RefreshingCache({
      label: 'token keys',
      load: async () => new TokenKeySet(await identity.loadTokenKeys()),
      onReplaced: (fresh, earlier) => {
        this.hear(fresh, earlier);
      },
      intervalMs: REFRESH_INTERVAL_MS,
      logger,
    });
    // Afterwards it is told, and decides nothing: without them tokens are 503, and API keys go on.
    readiness.addStartupCheck('token keys', () => {
      this.kept.check();
      if (!this.isTrusted) throw new Error('identity has not named them for too long');
    });
    const silence = new Gauge({
      name: 'gateway_token_keys_silent_seconds',
      help: 'How long identity has not named its keys of tokens. After ten minutes and a half tokens are answered 503.',
      registers: [metrics.registry],
      collect: () => {
        silence.set(Math.min(this.silentForMs, Number.MAX_SAFE_INTEGER) / 1_000);
      },
    });
  }

  onModuleInit(): void {
    this.kept.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.kept.stop();
  }

  /** Tells when a key is gone, and with it all that it has proved. */
  onKeyRemoved(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Whether the keys still count. */
  get isTrusted(): boolean {
    return this.silentForMs <= MAX_STALENESS_MS;
  }

  private get silentForMs(): number {
    return performance.now() - this.heardAtMs;
  }

  /**
   * Has a token read with the keys of its kind: once, and once more with fresh keys when it names one that is not known.
   * @throws AppError 503 when it cannot be known whether there is such a key
   */
  async readWithKeys<Kind extends keyof TokenKeyTypes, T>(
    kind: Kind,
    read: (keyOf: FindKey<Kind>) => T,
  ): Promise<T> {
    const { current } = this.kept;
    if (!current || !this.isTrusted) throw credentialsUnavailable();
    const unknown: string[] = [];
    const result = read((kid) => {
      const key = current.get(kind, kid);
      if (key === undefined) unknown.push(kid);
      return key;
    });
    if (unknown.length === 0) return result;
    if (!(await this.look())) throw credentialsUnavailable();
    return read((kid) => this.kept.current?.get(kind, kid));
  }

  /** @returns whether identity answered the last time it was asked */
  private look(): Promise<boolean> | boolean {
    if (!this.looking && performance.now() < this.lookAgainAtMs) return this.lastLookSucceeded;
    this.looking ??= this.ask().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async ask(): Promise<boolean> {
    this.lookAgainAtMs = performance.now() + MIN_REFETCH_INTERVAL_MS;
    try {
      await this.kept.refresh();
      this.lastLookSucceeded = true;
    } catch {
      // Whoever asked is told 503; the background's own next question says why in the log.
      this.lastLookSucceeded = false;
    }
    return this.lastLookSucceeded;
  }

  private hear(fresh: TokenKeySet, earlier: TokenKeySet | undefined): void {
    this.heardAtMs = performance.now();
    if (earlier && !fresh.hasAllKeysOf(earlier)) for (const listener of this.listeners) listener();
  }
}
