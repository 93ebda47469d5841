import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Evaluated, EvaluationOutcome, EvaluationRequest } from './evaluate-document.js';
import { TurnQueue } from './turn-queue.js';

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 };
/** Documents that wait, per tenant. */
const MAX_WAITING = 64;

export interface TimedOutcome {
  /** `unavailable` when the lane was closed. */
  readonly outcome: EvaluationOutcome | 'unavailable';
  readonly durationMs: number;
}

interface Evaluation {
  readonly tenantId: string;
  readonly request: EvaluationRequest;
  /** Asked when its turn comes. */
  readonly getTimeoutMs: () => number;
  readonly resolve: (outcome: TimedOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** One worker thread that evaluates one document at a time, in turn by tenant. It is started when it is first needed. */
export class ExpressionLane {
  private readonly waiting = new TurnQueue<Evaluation>();
  private worker: Promise<Worker> | undefined;
  private isRunning = false;
  private isClosed = false;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly workerUrl: URL,
    private readonly onEvaluated?: (tenantId: string, durationMs: number) => void,
    /** The worker is ended when it had nothing to do for so long; undefined: it is kept. */
    private readonly idleMs?: number,
  ) {}

  /** Undefined when too much of the tenant waits already. */
  evaluate(
    tenantId: string,
    request: EvaluationRequest,
    getTimeoutMs: () => number,
  ): Promise<TimedOutcome> | undefined {
    if (this.waiting.countOf(tenantId) >= MAX_WAITING) return undefined;
    return new Promise((resolve, reject) => {
      this.add({ tenantId, request, getTimeoutMs, resolve, reject });
    });
  }

  /** Lets what waits of a tenant wait for another lane. */
  moveWaiting(tenantId: string, lane: ExpressionLane): void {
    for (const evaluation of this.waiting.takeAll(tenantId)) lane.add(evaluation);
  }

  private add(evaluation: Evaluation): void {
    this.waiting.add(evaluation.tenantId, evaluation);
    if (!this.isRunning) void this.runWaiting();
  }

  /** Ends what runs and waits, without an outcome. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.endWorker();
  }

  private async endWorker(): Promise<void> {
    clearTimeout(this.idleTimer);
    const { worker } = this;
    this.worker = undefined;
    await (await worker)?.terminate();
  }

  private async runWaiting(): Promise<void> {
    this.isRunning = true;
    clearTimeout(this.idleTimer);
    for (let next = this.waiting.take(); next; next = this.waiting.take()) {
      const { tenantId, resolve, reject } = next;
      await this.run(next).then((evaluated) => {
        // Before the next one is taken, which may be of the same tenant.
        this.onEvaluated?.(tenantId, evaluated.durationMs);
        resolve(evaluated);
      }, reject);
    }
    this.isRunning = false;
    if (this.idleMs !== undefined)
      this.idleTimer = setTimeout(() => void this.endWorker(), this.idleMs).unref();
  }

  private async run({ request, getTimeoutMs }: Evaluation): Promise<TimedOutcome> {
    if (this.isClosed) return CLOSED;
    const timeoutMs = getTimeoutMs();
    if (timeoutMs <= 0) return { outcome: 'limit_exceeded', durationMs: 0 };
    const worker = await this.getWorker();
    const startedAt = performance.now();
    worker.postMessage(request);
    const evaluated = await waitForOutcome(worker, timeoutMs);
    return evaluated ?? this.giveUp(worker, performance.now() - startedAt);
  }

  private async giveUp(worker: Worker, durationMs: number): Promise<TimedOutcome> {
    this.worker = undefined;
    await worker.terminate();
    return this.isClosed ? CLOSED : { outcome: 'limit_exceeded', durationMs };
  }

  private getWorker(): Promise<Worker> {
    this.worker ??= startWorker(this.workerUrl).catch((error: unknown) => {
      this.worker = undefined;
      throw error;
    });
    return this.worker;
  }
}

const CLOSED: TimedOutcome = { outcome: 'unavailable', durationMs: 0 };

/** Waits until the modules are loaded, because that does not count as time of an expression. */
async function startWorker(url: URL): Promise<Worker> {
  const worker = new Worker(url, { resourceLimits: RESOURCE_LIMITS, env: {} });
  // An idle worker does not keep the process running.
  worker.unref();
  await once(worker, 'message');
  // Exhausted memory is an error, too, which is followed by the exit.
  worker.on('error', () => undefined);
  return worker;
}

/** Undefined after the timeout, and when the worker ended because its memory was exhausted. */
function waitForOutcome(worker: Worker, timeoutMs: number): Promise<Evaluated | undefined> {
  return new Promise((resolve) => {
    const settle = (evaluated: Evaluated | undefined) => {
      clearTimeout(timer);
      worker.off('message', settle);
      worker.off('exit', onExit);
      resolve(evaluated);
    };
    const onExit = () => {
      settle(undefined);
    };
    // An answer that arrived while the event loop was busy is read before the immediate.
    const timer = setTimeout(() => setImmediate(settle, undefined), timeoutMs);
    worker.on('message', settle);
    worker.on('exit', onExit);
  });
}
