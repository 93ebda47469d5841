import { setTimeout as sleep } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { ServiceContext } from '../service-context.js';
import type { SweepStep } from './sweep-step.js';

/**
 * Does what nobody else comes back for: every step in a loop of its own, at once again while there is more of it. A
 * feature extends it with a provider of its own: `super(context, [theseSteps], config.SWEEP_INTERVAL_MS)`.
 */
export abstract class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stop = new AbortController();
  private loops: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly context: ServiceContext,
    private readonly steps: readonly SweepStep[],
    /** Between two looks for something to do. */
    private readonly intervalMs: number,
  ) {}

  onApplicationBootstrap(): void {
    this.loops = Promise.all(this.steps.map((step) => this.sweepOnAndOn(step)));
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await this.loops;
  }

  private async sweepOnAndOn(step: SweepStep): Promise<void> {
    const { signal } = this.stop;
    while (await slept(this.intervalMs, signal)) {
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
