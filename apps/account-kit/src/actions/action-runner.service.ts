import { bindToTrace } from '@app/common';
import { Bulkhead } from '@app/limits';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  ACTION_LIMITS,
  MAX_RUNNING_ACTIONS,
  MAX_RUNNING_PER_TENANT,
  MAX_WAIT_MS,
  MAX_WAITING_PER_TENANT,
} from './action-limits.js';
import type { ActionOutcome, ActionProgram } from './action-outcome.js';
import { ActionThread, type SignActionBytes } from './action-thread.js';
import { actionsUnavailable, waitingActionLimitExceeded } from './actions.errors.js';

/**
 * Runs actions in worker threads, few at a time. Tenants take turns, and each has one action running at most, so that none takes
 * all places.
 */
@Injectable()
export class ActionRunnerService implements OnApplicationShutdown {
  private readonly bulkhead = new Bulkhead({
    max: MAX_RUNNING_ACTIONS,
    maxPerKey: MAX_RUNNING_PER_TENANT,
    maxWaitingPerKey: MAX_WAITING_PER_TENANT,
    createFullError: waitingActionLimitExceeded,
  });
  private readonly running = new Set<ActionThread>();
  private isClosed = false;

  constructor(
    private readonly workerUrl = new URL('./action.worker.js', import.meta.url),
    private readonly timeoutMs: number = ACTION_LIMITS.timeoutMs,
  ) {}

  /** @throws AppError 429 when too many of the tenant wait, 503 when it waited too long, errors of `sign` */
  async run(tenantId: string, program: ActionProgram, sign: SignActionBytes): Promise<ActionOutcome> {
    if (this.isClosed) throw actionsUnavailable();
    const deadline = performance.now() + MAX_WAIT_MS;
    const signInTrace = bindToTrace(sign);
    return this.bulkhead.run(tenantId, async () => {
      if (this.isClosed || performance.now() > deadline) throw actionsUnavailable();
      return this.runThread(program, signInTrace);
    });
  }

  /** Stops what runs. Actions that wait fail when they have their turn, which is then. */
  onApplicationShutdown(): void {
    this.isClosed = true;
    for (const thread of this.running) thread.stop(actionsUnavailable());
  }

  private async runThread(program: ActionProgram, sign: SignActionBytes): Promise<ActionOutcome> {
    const thread = await ActionThread.start(this.workerUrl, sign);
    this.running.add(thread);
    try {
      if (this.isClosed) thread.stop(actionsUnavailable());
      return await thread.run(program, this.timeoutMs);
    } finally {
      this.running.delete(thread);
    }
  }
}
