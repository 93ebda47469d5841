import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { CredentialChanges } from '@app/dto';
import { ServiceContext } from '@app/service';
import { GatewayConfig } from '../gateway.config.js';
import { IdentityClient } from './identity-client.js';

type Listener = (changes: CredentialChanges) => void;

/** Follows identity's feed of changed credentials, so that a revoked key dies here within seconds. */
@Injectable()
export class RevocationFeed implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stop = new AbortController();
  private listener: Listener = () => undefined;
  private loop: Promise<void> = Promise.resolve();
  private heardAtMs = -Infinity;
  private sequence = 0;

  constructor(
    private readonly config: GatewayConfig,
    private readonly identity: IdentityClient,
    private readonly context: ServiceContext,
  ) {}

  /** The last change that was applied here. */
  get last(): number {
    return this.sequence;
  }

  /** How long identity has said nothing. */
  get silentForMs(): number {
    return performance.now() - this.heardAtMs;
  }

  onChanges(listener: Listener): void {
    this.listener = listener;
  }

  onApplicationBootstrap(): void {
    this.loop = this.follow();
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await this.loop;
  }

  private async follow(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      await this.poll();
      await sleep(this.config.CREDENTIAL_FEED_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async poll(): Promise<void> {
    try {
      const changes = await this.identity.changesAfter(this.sequence);
      this.sequence = changes.last;
      this.listener(changes);
      if (this.silentForMs > SILENCE_MS) this.context.logger.info('identity answers');
      this.heardAtMs = performance.now();
    } catch (error) {
      if (this.stop.signal.aborted) return;
      this.context.logger.warn({ err: error }, 'identity does not answer');
    }
  }
}

/** From here on identity counts as gone (design.md section 2). */
export const SILENCE_MS = 30_000;
