import { bindToTrace } from '@app/common';
import { FairQueue } from '@app/limits';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ACTION_LIMITS, MAX_RUNNING_ACTIONS, MAX_WAIT_MS, MAX_WAITING_PER_TENANT } from './action-limits.js';
import type { ActionOutcome, ActionProgram } from './action-outcome.js';
import { ActionThread, type SignActionBytes } from './action-thread.js';
import { actionsUnavailable, waitingActionLimitExceeded } from './actions.errors.js';

interface WaitingAction {
  readonly tenantId: string;
  readonly program: ActionProgram;
  readonly sign: SignActionBytes;
  readonly deadline: number;
  readonly resolve: (outcome: ActionOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs actions in worker threads, few at a time. Tenants take turns, and each has one action running at most, so that none takes
 * all places.
 */
@Injectable()
export class ActionRunnerService implements OnApplicationShutdown {
  private readonly waiting = new FairQueue<WaitingAction>();
  private readonly running = new Map<string, ActionThread | undefined>();
  private isClosed = false;

  constructor(
    private readonly workerUrl = new URL('./action.worker.js', import.meta.url),
    private readonly timeoutMs: number = ACTION_LIMITS.timeoutMs,
  ) {}

  /** @throws AppError 429 when too many of the tenant wait, 503 when it waited too long, errors of `sign` */
  async run(tenantId: string, program: ActionProgram, sign: SignActionBytes): Promise<ActionOutcome> {
    if (this.isClosed) throw actionsUnavailable();
    if (this.waiting.countOf(tenantId) >= MAX_WAITING_PER_TENANT) throw waitingActionLimitExceeded();
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + MAX_WAIT_MS;
      this.waiting.add(tenantId, {
        tenantId,
        program,
        sign: bindToTrace(sign),
        deadline,
        resolve,
        reject,
      });
      this.runWaiting();
    });
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    for (const worker of this.running.values()) worker?.stop(actionsUnavailable());
    for (let next = this.waiting.take(); next; next = this.waiting.take()) next.reject(actionsUnavailable());
  }

  private runWaiting(): void {
    while (this.running.size < MAX_RUNNING_ACTIONS) {
      const next = this.waiting.take((tenantId) => !this.running.has(tenantId));
      if (!next) return;
      if (performance.now() > next.deadline) next.reject(actionsUnavailable());
      else void this.runNow(next);
    }
  }

  private async runNow({ tenantId, program, sign, resolve, reject }: WaitingAction): Promise<void> {
    this.running.set(tenantId, undefined);
    try {
      const worker = await ActionThread.start(this.workerUrl, sign);
      this.running.set(tenantId, worker);
      if (this.isClosed) worker.stop(actionsUnavailable());
      resolve(await worker.run(program, this.timeoutMs));
    } catch (error) {
      reject(error);
    } finally {
      this.running.delete(tenantId);
      this.runWaiting();
    }
  }
}
