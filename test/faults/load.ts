import { setTimeout as sleep } from 'node:timers/promises';
import type { Product } from './product.js';

/** The outcome of one request under load. */
export interface Outcome {
  sentAt: number;
  /** The time at which the response or its failure arrived. */
  at: number;
  /** HTTP status; 0 without a response. */
  status: number;
  /** Request id of an accepted check. */
  requestId?: string;
}

/** Leaves the processor to other tests. */
const PAUSE_MS = 50;

/** Concurrent clients that each send one check after another until stopped. */
export class Load<One extends Outcome = Outcome> {
  readonly outcomes: One[] = [];
  private isOver = false;
  private readonly callers: Promise<void>[];

  /**
   * @param ask sends one request per call
   * @param pauseMs of a caller after each request
   */
  constructor(callers: number, ask: (caller: number) => Promise<One>, pauseMs = PAUSE_MS) {
    this.callers = Array.from({ length: callers }, async (_, caller) => {
      while (!this.isOver) {
        this.outcomes.push(await ask(caller));
        await sleep(pauseMs);
      }
    });
  }

  async stop(): Promise<One[]> {
    this.isOver = true;
    await Promise.all(this.callers);
    return this.outcomes;
  }
}

/** Load of asynchronous checks with callbacks. */
export const askCalledBack = async (product: Product): Promise<Outcome> => {
  const sentAt = Date.now();
  const answer = await product.check({ callbackUrl: product.callbacks.url() }).catch(() => undefined);
  const { requestId } = (answer?.body ?? {}) as { requestId?: string };
  const status = answer?.status ?? 0;
  return { sentAt, at: Date.now(), status, ...(requestId === undefined ? {} : { requestId }) };
};

export const acceptedIn = (outcomes: Outcome[]): string[] =>
  outcomes.flatMap(({ status, requestId }) => (status === 200 && requestId !== undefined ? [requestId] : []));
