import { formatErrorReason } from '@app/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { CredentialChanges } from '@app/dto';
import { CREDENTIALS_CHANGED_CHANNEL, Subscriber } from '@app/pubsub';
import { ServiceContext } from '@app/service';
import { GatewayConfig } from '../gateway.config.js';
import { IdentityClient, type RevokedTokenList } from './identity-client.js';
import { StalenessMonitor } from './staleness-monitor.js';

/** `all` is the list of all revoked tokens: after the start, and after changes were missed. */
type RevocationListener = (changes: CredentialChanges, all?: RevokedTokenList) => void;

/** Polls identity's feed of changed credentials, so that a revocation takes effect within seconds. */
@Injectable()
export class RevocationFeedSubscriber implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stop = new AbortController();
  private readonly listeners: RevocationListener[] = [];
  private readonly staleness: StalenessMonitor;
  private loop: Promise<void> = Promise.resolve();
  private wakeUp = new AbortController();
  private subscriber: Subscriber | undefined;
  private sequence = 0;
  private hasFullList = false;
  private isAvailable: boolean | undefined;

  constructor(
    private readonly config: GatewayConfig,
    private readonly identity: IdentityClient,
    private readonly context: ServiceContext,
  ) {
    this.staleness = new StalenessMonitor(
      {
        name: 'gateway_revocation_feed_staleness_seconds',
        help: 'Seconds since the last successful poll of the revocation feed. Later revocations are not applied yet.',
      },
      context.metrics.registry,
    );
  }

  /** The sequence number of the last applied change. */
  get lastSequence(): number {
    return this.sequence;
  }

  /** Whether cached credentials may be used: they may for some minutes after the last successful poll. */
  get isTrusted(): boolean {
    return this.staleness.isTrusted;
  }

  onChanges(listener: RevocationListener): void {
    this.listeners.push(listener);
  }

  onApplicationBootstrap(): void {
    this.loop = this.runLoop();
    const { REDIS_URL } = this.config;
    // A notification triggers the next poll early; without one it comes after the interval.
    if (REDIS_URL !== undefined)
      this.subscriber = new Subscriber(REDIS_URL, CREDENTIALS_CHANGED_CHANNEL, () => {
        this.wakeUp.abort();
      });
  }

  async onApplicationShutdown(): Promise<void> {
    this.subscriber?.close();
    this.stop.abort();
    this.wakeUp.abort();
    await this.loop;
  }

  private async runLoop(): Promise<void> {
    while (!this.stop.signal.aborted) {
      // Created before the poll, so that a notification during it is not lost.
      this.wakeUp = new AbortController();
      const { signal } = this.wakeUp;
      if (await this.poll()) continue;
      await sleep(this.config.CREDENTIAL_FEED_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns whether the next page can be loaded at once */
  private async poll(): Promise<boolean> {
    try {
      const changes = await this.identity.loadChangesAfter(this.sequence);
      const needsFullList = !this.hasFullList || changes.truncated;
      // Loaded after the changes, so that it includes those that the feed no longer has.
      const all = needsFullList ? await this.identity.loadRevokedTokens() : undefined;
      this.hasFullList = true;
      this.sequence = changes.last;
      for (const listener of this.listeners) listener(changes, all);
      if (!changes.hasMore) this.staleness.recordSuccess();
      this.logAvailability(true);
      return changes.hasMore;
    } catch (error) {
      if (this.stop.signal.aborted) return false;
      this.logAvailability(false, formatErrorReason(error));
      return false;
    }
  }

  /** Logs only when the availability changes, not at every poll. */
  private logAvailability(isAvailable: boolean, reason?: string): void {
    if (isAvailable === this.isAvailable) return;
    // Apps start in any order: before the first success, the readiness check reports it.
    const level = this.isAvailable === undefined ? 'debug' : 'warn';
    this.isAvailable = isAvailable;
    if (isAvailable) this.context.logger.info('identity is available');
    else this.context.logger[level]({ reason }, 'identity is unavailable');
  }
}
