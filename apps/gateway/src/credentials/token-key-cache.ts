import type { TokenKeys } from '@app/dto';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { RefreshingCache, ServiceContext } from '@app/service';
import { createPublicKey } from 'node:crypto';
import { credentialsUnavailable } from './credentials.errors.js';
import { IdentityClient } from './identity-client.js';
import { StalenessMonitor } from './staleness-monitor.js';

/** The key type of each kind of token. */
interface TokenKeyTypes {
  /** PEM, as passport-jwt expects it. */
  access: string;
  ae: Buffer;
  nonce: Buffer;
}

/** Identity's keys for tokens in usable form, by key id. */
class TokenKeySet {
  private readonly keys: { [Kind in keyof TokenKeyTypes]: ReadonlyMap<string, TokenKeyTypes[Kind]> };

  constructor({ access, ae, nonce }: TokenKeys) {
    const toEntries = (secrets: TokenKeys['ae']) =>
      secrets.map(({ kid, k }) => [kid, Buffer.from(k, 'base64url')] as const);
    this.keys = {
      access: new Map(access.map((jwk) => [jwk.kid, toPem(jwk)])),
      ae: new Map(toEntries(ae)),
      nonce: new Map(toEntries(nonce)),
    };
  }

  get<Kind extends keyof TokenKeyTypes>(kind: Kind, kid: string): TokenKeyTypes[Kind] | undefined {
    return this.keys[kind].get(kid);
  }

  /** Whether no key of another set is missing here. */
  hasAllKeysOf(other: TokenKeySet): boolean {
    return (['access', 'ae', 'nonce'] as const).every((kind) =>
      [...other.keys[kind].keys()].every((kid) => this.keys[kind].has(kid)),
    );
  }
}

const toPem = ({ kty, crv, x, y }: TokenKeys['access'][number]): string =>
  createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString();

const REFRESH_INTERVAL_MS = 3_000;
/** Tokens with an unknown key id trigger at most one reload per interval: anyone can make up key ids. */
const MIN_RELOAD_INTERVAL_MS = 1_000;

/** Looks up a key by its id. */
export type FindKey<Kind extends keyof TokenKeyTypes> = (kid: string) => TokenKeyTypes[Kind] | undefined;

/** Identity's keys for tokens. During an outage of identity they stay valid as long as other cached credentials. */
@Injectable()
export class TokenKeyCache implements OnModuleInit, OnApplicationShutdown {
  private readonly keys: RefreshingCache<TokenKeySet>;
  private readonly staleness: StalenessMonitor;
  private readonly listeners: (() => void)[] = [];
  private reloading: Promise<boolean> | undefined;
  private nextReloadAtMs = -Infinity;
  private lastReloadSucceeded = false;

  constructor(identity: IdentityClient, { logger, metrics, readiness }: ServiceContext) {
    this.keys = new RefreshingCache({
      label: 'token keys',
      load: async () => new TokenKeySet(await identity.loadTokenKeys()),
      onReplaced: (keys, previous) => {
        this.onReplaced(keys, previous);
      },
      intervalMs: REFRESH_INTERVAL_MS,
      logger,
    });
    this.staleness = new StalenessMonitor(
      {
        name: 'gateway_token_keys_staleness_seconds',
        help: "Seconds since the last successful load of identity's token keys. Above 630 s tokens get 503.",
      },
      metrics.registry,
    );
    // Required at the start only: without the keys tokens get 503 while API keys still work.
    readiness.addStartupCheck('token keys', () => {
      this.keys.check();
      if (!this.isTrusted) throw new Error('identity has not responded for too long');
    });
  }

  onModuleInit(): void {
    this.keys.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.keys.stop();
  }

  /** Calls the listener when a key was removed: tokens verified with it must be verified again. */
  onKeyRemoved(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Whether the keys are recent enough to be used. */
  get isTrusted(): boolean {
    return this.staleness.isTrusted;
  }

  /**
   * Calls `read` with a lookup of one kind of keys, and again after a reload if it asked for an unknown key.
   * @throws AppError 503 when the keys cannot be loaded
   */
  async readWithKeys<Kind extends keyof TokenKeyTypes, T>(
    kind: Kind,
    read: (findKey: FindKey<Kind>) => T,
  ): Promise<T> {
    const { current } = this.keys;
    if (!current || !this.isTrusted) throw credentialsUnavailable();
    // Set by the callback, which the compiler does not see.
    let isKeyMissing = false as boolean;
    const result = read((kid) => {
      const key = current.get(kind, kid);
      isKeyMissing ||= key === undefined;
      return key;
    });
    if (!isKeyMissing) return result;
    if (!(await this.reload())) throw credentialsUnavailable();
    return read((kid) => this.keys.current?.get(kind, kid));
  }

  /** @returns whether the last reload succeeded */
  private reload(): Promise<boolean> | boolean {
    if (!this.reloading && performance.now() < this.nextReloadAtMs) return this.lastReloadSucceeded;
    this.reloading ??= this.load().finally(() => {
      this.reloading = undefined;
    });
    return this.reloading;
  }

  private async load(): Promise<boolean> {
    this.nextReloadAtMs = performance.now() + MIN_RELOAD_INTERVAL_MS;
    this.lastReloadSucceeded = await this.keys.refresh().then(
      () => true,
      () => false, // the background refresh logs the reason
    );
    return this.lastReloadSucceeded;
  }

  private onReplaced(keys: TokenKeySet, previous: TokenKeySet | undefined): void {
    this.staleness.recordSuccess();
    if (previous && !keys.hasAllKeysOf(previous)) for (const listener of this.listeners) listener();
  }
}
