import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { CredentialChanges, RevokedToken } from '@app/dto';
import { ServiceContext } from '@app/service';
import { CREDENTIALS_CHANGED_CHANNEL, Subscriber } from '@app/pubsub';
import { Gauge } from 'prom-client';
import { GatewayConfig } from '../gateway.config.js';
import { IdentityClient, MAX_STALENESS_MS } from './identity-client.js';

/** With `all` it is the whole list of revoked tokens: at the start, and after changes were missed. */
type RevocationListener = (changes: CredentialChanges, all?: readonly RevokedToken[]) => void;

/** Follows identity's feed of changed credentials, so that a revoked key or token dies here within seconds. */
@Injectable()
export class RevocationFeedSubscriber implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stop = new AbortController();
  private readonly listeners: RevocationListener[] = [];
  private loop: Promise<void> = Promise.resolve();
  private heardAtMs = -Infinity;
  private readonly silence: Gauge;
  private nudge = new AbortController();
  private news: Subscriber | undefined;
  private sequence = 0;
  private hasList = false;
  private answers: boolean | undefined;

  constructor(
    private readonly config: GatewayConfig,
    private readonly identity: IdentityClient,
    private readonly context: ServiceContext,
  ) {
    this.silence = new Gauge({
      name: 'gateway_identity_silent_seconds',
      help: 'How long identity has said nothing. Revoked keys go on until it speaks again.',
      registers: [context.metrics.registry],
      collect: () => {
        this.silence.set(Math.min(this.staleForMs, Number.MAX_SAFE_INTEGER) / 1000);
      },
    });
  }

  /** The last change that was applied here. */
  get lastSequence(): number {
    return this.sequence;
  }

  /** How long identity has said nothing. */
  get staleForMs(): number {
    return performance.now() - this.heardAtMs;
  }

  /** Whether what identity said still counts: it does for a while after identity has fallen silent. */
  get isTrusted(): boolean {
    return this.staleForMs <= MAX_STALENESS_MS;
  }

  onChanges(listener: RevocationListener): void {
    this.listeners.push(listener);
  }

  onApplicationBootstrap(): void {
    this.loop = this.follow();
    const { REDIS_URL } = this.config;
    // Sooner than the next look; without Redis, or when it is away, that one comes anyway.
    if (REDIS_URL !== undefined)
      this.news = new Subscriber(REDIS_URL, CREDENTIALS_CHANGED_CHANNEL, () => {
        this.nudge.abort();
      });
  }

  async onApplicationShutdown(): Promise<void> {
    this.news?.close();
    this.stop.abort();
    this.nudge.abort();
    await this.loop;
  }

  private async follow(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      this.nudge = new AbortController();
      const wake = this.nudge.signal;
      if (await this.poll()) continue;
      await sleep(this.config.CREDENTIAL_FEED_INTERVAL_MS, undefined, { signal: wake }).catch(
        () => undefined,
      );
    }
  }

  /** One line when identity falls silent and one when it is back, not one per question. */
  private say(answers: boolean, reason?: string): void {
    if (answers === this.answers) return;
    // Apps start in any order: until identity has answered once, readiness says so.
    const level = this.answers === undefined ? 'debug' : 'warn';
    this.answers = answers;
    if (answers) this.context.logger.info('identity answers');
    else this.context.logger[level]({ reason }, 'identity does not answer');
  }

  /** @returns whether there is more to hear at once */
  private async poll(): Promise<boolean> {
    try {
      const changes = await this.identity.loadChangesAfter(this.sequence);
      const isWhole = this.hasList && !changes.truncated;
      // Read after the changes, it holds whatever they left out. Without it nothing of this was heard.
      const all = isWhole ? undefined : await this.identity.loadRevokedTokens();
      this.hasList = true;
      this.sequence = changes.last;
      for (const listener of this.listeners) listener(changes, all);
      if (!changes.hasMore) this.heardAtMs = performance.now();
      this.say(true);
      return changes.hasMore;
    } catch (error) {
      if (this.stop.signal.aborted) return false;
      this.say(false, error instanceof Error ? error.message : String(error));
      return false;
    }
  }
}
