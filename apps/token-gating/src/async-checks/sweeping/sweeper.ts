import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AsyncCheckConfig } from '../async-check.config.js';
import { DeleteExpired } from './delete-expired.js';
import { EnqueueDueChecks } from './enqueue-due-checks.js';
import { ReplyLate } from './reply-late.js';
import type { SweepStep } from './sweep-step.js';

/** Does what nobody else comes back for: every step in a loop of its own, at once again while there is more of it. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stop = new AbortController();
  private readonly steps: readonly SweepStep[];
  private loops: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly config: AsyncCheckConfig,
    private readonly context: ServiceContext,
    dueChecks: EnqueueDueChecks,
    lateReplies: ReplyLate,
    expired: DeleteExpired,
  ) {
    this.steps = [dueChecks, lateReplies, expired];
  }

  onApplicationBootstrap(): void {
    this.loops = Promise.all(this.steps.map((step) => this.sweepOnAndOn(step)));
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await this.loops;
  }

  private async sweepOnAndOn(step: SweepStep): Promise<void> {
    const { signal } = this.stop;
    while (await slept(this.config.SWEEP_INTERVAL_MS, signal)) {
      try {
        while (!signal.aborted && (await step.sweep()));
      } catch (error) {
        this.context.logger.warn({ err: error, step: step.name }, 'could not sweep');
      }
    }
  }
}

/** False when it was woken to stop. */
const slept = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  sleep(milliseconds, true, { signal }).catch(() => false);
