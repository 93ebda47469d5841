import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { withTimeout } from '@app/common';
import { ACTION_LIMITS } from './action-limits.js';
import {
  type ActionOutcome,
  type ActionProgram,
  limitExceeded,
  type ParentMessage,
  type WorkerMessage,
} from './action-outcome.js';
import { actionSignerUnavailable } from './actions.errors.js';

/** Signs for an action: hex with 0x. Its key owns no account. */
export type SignActionBytes = (bytes: Uint8Array) => Promise<string>;

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 };
const MAX_START_MS = 10_000;
/** The worker ends an action in time by itself, unless it runs native code that does not look at the time. */
const GRACE_MS = 250;

/** A worker thread for one run, so that nothing of an action is left for the next one. */
export class ActionThread {
  private signatures = 0;
  private pendingSignatures = 0;
  private readonly settled: Promise<ActionOutcome>;
  private settle!: (outcome: ActionOutcome) => void;
  private fail!: (error: unknown) => void;

  private constructor(
    private readonly worker: Worker,
    private readonly sign: SignActionBytes,
  ) {
    this.settled = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
    // Awaited by `run` only; the worker may fail before.
    this.settled.catch(() => undefined);
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'ended') this.settle(message.outcome);
      if (message.type === 'sign') void this.answer(message.id, message.bytes);
    });
    worker.on('error', (error: unknown) => {
      if (isOutOfMemory(error)) this.settle(limitExceeded('memory'));
      else this.fail(error);
    });
    worker.on('exit', () => {
      this.fail(new Error('the worker of a custom action ended without an outcome'));
    });
  }

  /** Waits until the modules are loaded, because that does not count as time of the action. */
  static async start(url: URL, sign: SignActionBytes): Promise<ActionThread> {
    const worker = new Worker(url, { resourceLimits: RESOURCE_LIMITS, env: {} });
    try {
      await withTimeout(MAX_START_MS, once(worker, 'message'));
    } catch (error) {
      await worker.terminate();
      throw error;
    }
    return new ActionThread(worker, sign);
  }

  /** Ends with the error of `sign` when it rejects. */
  async run(program: ActionProgram, timeoutMs: number): Promise<ActionOutcome> {
    const timer = setTimeout(() => {
      if (this.pendingSignatures > 0) this.fail(actionSignerUnavailable());
      else this.settle(limitExceeded('time'));
    }, timeoutMs + GRACE_MS);
    try {
      this.send({ type: 'run', program, timeoutMs });
      return await this.settled;
    } finally {
      clearTimeout(timer);
      await this.worker.terminate();
    }
  }

  /** Ends what runs. */
  stop(reason: unknown): void {
    this.fail(reason);
  }

  private async answer(id: number, bytes: Uint8Array): Promise<void> {
    this.signatures += 1;
    if (this.signatures > ACTION_LIMITS.signatures || bytes.length > ACTION_LIMITS.signedBytes) {
      this.settle(limitExceeded('signatures'));
      return;
    }
    this.pendingSignatures += 1;
    try {
      const signature = await this.sign(bytes);
      this.send({ type: 'signed', id, signature });
    } catch (error) {
      this.fail(error);
    } finally {
      this.pendingSignatures -= 1;
    }
  }

  private send(message: ParentMessage): void {
    this.worker.postMessage(message);
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
