import { setTimeout as sleep } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { ServiceContext } from './service-context.js';

/** One thing that a sweeper does, for itself: none of them waits for another, or fails with it. */
export interface SweepTask {
  /** What could not be done, for the log. */
  readonly name: string;
  /** A bounded piece of it. @returns whether there may be more of it now */
  sweep(): Promise<boolean>;
}

/**
 * Does what nobody else comes back for: every step in a loop of its own, at once again while there is more of it. A
 * feature extends it with a provider of its own: `super(context, [theseSteps], config.SWEEP_INTERVAL_MS)`.
 */
export abstract class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stop = new AbortController();
  private loops: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly context: ServiceContext,
    private readonly steps: readonly SweepTask[],
    /** Between two looks for something to do. */
    private readonly intervalMs: number,
  ) {}

  onApplicationBootstrap(): void {
    this.loops = Promise.all(this.steps.map((step) => this.runLoop(step)));
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await this.loops;
  }

  private async runLoop(step: SweepTask): Promise<void> {
    const { signal } = this.stop;
    while (await sleepUnlessStopped(this.intervalMs, signal)) {
      try {
        while (!signal.aborted && (await step.sweep()));
      } catch (error) {
        this.context.logger.warn({ err: error, step: step.name }, 'could not sweep');
      }
    }
  }
}

/** False when it was woken to stop. */
const sleepUnlessStopped = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  sleep(milliseconds, true, { signal }).catch(() => false);
