import { LRUCache } from 'lru-cache';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { boundEntries, MINUTE_MS } from '@app/common';
import { FairQueue } from '@app/limits';

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 };
/** Documents that wait, per tenant. */
const MAX_WAITING = 64;

/** What a worker answers. */
export interface WorkerAnswer {
  readonly outcome: string;
  /** Measured by the worker, so that a busy event loop does not count as its time. */
  readonly durationMs: number;
}

/** `limit_exceeded` when the worker was ended; `unavailable` when the lane was closed. */
export interface UnansweredWork {
  readonly outcome: 'limit_exceeded' | 'unavailable';
  readonly durationMs: number;
}

interface Work<Request, Answer> {
  readonly tenantId: string;
  readonly request: Request;
  /** Asked when its turn comes. */
  readonly getTimeoutMs: () => number;
  readonly resolve: (answer: Answer | UnansweredWork) => void;
  readonly reject: (error: unknown) => void;
}

/** A worker thread that works on one document at a time, in turn by tenant. It is started when it is first needed. */
class WorkerLane<Request, Answer extends WorkerAnswer> {
  private readonly waiting = new FairQueue<Work<Request, Answer>>();
  private worker: Promise<Worker> | undefined;
  private isRunning = false;
  private isClosed = false;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly workerUrl: URL,
    private readonly onAnswered?: (tenantId: string, durationMs: number) => void,
    /** The worker is ended when it had nothing to do for so long; undefined: it is kept. */
    private readonly idleMs?: number,
  ) {}

  /** Undefined when too much of the tenant waits already. */
  run(
    tenantId: string,
    request: Request,
    getTimeoutMs: () => number,
  ): Promise<Answer | UnansweredWork> | undefined {
    if (this.waiting.countOf(tenantId) >= MAX_WAITING) return undefined;
    return new Promise((resolve, reject) => {
      this.add({ tenantId, request, getTimeoutMs, resolve, reject });
    });
  }

  /** Lets what waits of a tenant wait for another lane. */
  moveWaiting(tenantId: string, lane: WorkerLane<Request, Answer>): void {
    for (const work of this.waiting.takeAll(tenantId)) lane.add(work);
  }

  private add(work: Work<Request, Answer>): void {
    this.waiting.add(work.tenantId, work);
    if (!this.isRunning) void this.runWaiting();
  }

  /** Ends what runs and waits, without an answer. */
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
      await this.runNow(next).then((answer) => {
        // The caller hears of the answer before the next request is taken, which may be of the same tenant.
        this.onAnswered?.(tenantId, answer.durationMs);
        resolve(answer);
      }, reject);
    }
    this.isRunning = false;
    if (this.idleMs !== undefined)
      this.idleTimer = setTimeout(() => void this.endWorker(), this.idleMs).unref();
  }

  private async runNow({ request, getTimeoutMs }: Work<Request, Answer>): Promise<Answer | UnansweredWork> {
    if (this.isClosed) return CLOSED;
    const timeoutMs = getTimeoutMs();
    if (timeoutMs <= 0) return { outcome: 'limit_exceeded', durationMs: 0 };
    const worker = await this.getWorker();
    const startedAt = performance.now();
    worker.postMessage(request);
    const answer = await waitForAnswer<Answer>(worker, timeoutMs);
    return answer ?? this.giveUp(worker, performance.now() - startedAt);
  }

  private async giveUp(worker: Worker, durationMs: number): Promise<UnansweredWork> {
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

const CLOSED: UnansweredWork = { outcome: 'unavailable', durationMs: 0 };

/** Waits until the modules are loaded, because that does not count as time of a document. */
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
function waitForAnswer<Answer>(worker: Worker, timeoutMs: number): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const settle = (answer: Answer | undefined) => {
      clearTimeout(timer);
      worker.off('message', settle);
      worker.off('exit', onExit);
      resolve(answer);
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

/** A tenant uses the slow lane after a document that took longer. */
const SLOW_MS = 100;
const SLOW_LANE_TTL_MS = MINUTE_MS;
const SLOW_LANE_IDLE_MS = 10_000;
const MAX_SLOW_TENANTS = 10_000;

/**
 * Works on documents in worker threads. Tenants take turns after each document; one whose document is slow shares a second
 * worker with other slow ones for a minute, so that it does not delay the rest.
 */
export class WorkerLanes<Request, Answer extends WorkerAnswer> {
  private readonly lane: WorkerLane<Request, Answer>;
  private readonly slowLane: WorkerLane<Request, Answer>;
  private readonly slowTenants = new LRUCache<string, true>({
    ...boundEntries(MAX_SLOW_TENANTS),
    ttl: SLOW_LANE_TTL_MS,
  });

  constructor(workerUrl: URL) {
    const slowLane = new WorkerLane<Request, Answer>(workerUrl, undefined, SLOW_LANE_IDLE_MS);
    this.slowLane = slowLane;
    this.lane = new WorkerLane<Request, Answer>(workerUrl, (tenantId, durationMs) => {
      if (durationMs <= SLOW_MS) return;
      this.slowTenants.set(tenantId, true);
      this.lane.moveWaiting(tenantId, slowLane);
    });
  }

  /** Undefined when too much of the tenant waits already. @param getTimeoutMs asked when its turn comes */
  run(
    tenantId: string,
    request: Request,
    getTimeoutMs: () => number,
  ): Promise<Answer | UnansweredWork> | undefined {
    const lane = this.slowTenants.has(tenantId) ? this.slowLane : this.lane;
    return lane.run(tenantId, request, getTimeoutMs);
  }

  async close(): Promise<void> {
    await Promise.all([this.lane.close(), this.slowLane.close()]);
  }
}
