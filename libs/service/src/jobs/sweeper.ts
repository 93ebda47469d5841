import { setTimeout as sleep } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { ServiceContext } from '../service-context.js';
import { MINUTE_MS } from '@app/common';

/** Runs independently of the other tasks of its sweeper. */
export interface SweepTask {
  /** The name in log lines. */
  readonly name: string;
  /** Does a bounded amount of work. @returns whether more may be due now */
  sweep(): Promise<boolean>;
}

/**
 * Runs each task in a loop of its own, without a pause while more is due. A feature extends it as a provider:
 * `super(context, [tasks], config.SWEEP_INTERVAL_MS)`.
 */
export abstract class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stop = new AbortController();
  private loops: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly context: ServiceContext,
    private readonly tasks: readonly SweepTask[],
    private readonly intervalMs: number,
  ) {}

  onApplicationBootstrap(): void {
    this.loops = Promise.all(this.tasks.map((task) => this.runLoop(task)));
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await this.loops;
  }

  private async runLoop(task: SweepTask): Promise<void> {
    const { signal } = this.stop;
    while (await sleepUnlessStopped(this.intervalMs, signal)) {
      try {
        while (!signal.aborted && (await task.sweep()));
      } catch (error) {
        this.context.logger.warn({ err: error, task: task.name }, 'sweep task failed');
      }
    }
  }
}

/** @returns false when the signal aborted */
const sleepUnlessStopped = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  sleep(milliseconds, true, { signal }).catch(() => false);

const SWEEP_INTERVAL_MS = 5_000;

/** Tells analytics once a minute until when it has the events of an app. */
export abstract class HeartbeatSweeper extends Sweeper {
  private sentMinute = 0;

  constructor(context: ServiceContext) {
    super(context, [{ name: 'send a heartbeat', sweep: () => this.sendInTurn() }], SWEEP_INTERVAL_MS);
  }

  protected abstract send(): Promise<void>;

  private async sendInTurn(): Promise<boolean> {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (minute === this.sentMinute) return false;
    await this.send();
    this.sentMinute = minute;
    return false;
  }
}
