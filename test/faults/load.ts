import { setTimeout as sleep } from 'node:timers/promises';
import type { Product } from './product.js';

/** What became of one request under load. */
export interface Outcome {
  at: number;
  /** 0 when there was no answer. */
  status: number;
  /** Of a check that was accepted. */
  requestId?: string;
}

/** A handful of callers that ask one check after another until they are told to stop. */
export class Load<One extends Outcome = Outcome> {
  readonly outcomes: One[] = [];
  private isOver = false;
  private readonly callers: Promise<void>[];

  /** @param ask one request each time it is called */
  constructor(callers: number, ask: (caller: number) => Promise<One>) {
    this.callers = Array.from({ length: callers }, async (_, caller) => {
      while (!this.isOver) {
        this.outcomes.push(await ask(caller));
        await sleep(20);
      }
    });
  }

  async stop(): Promise<One[]> {
    this.isOver = true;
    await Promise.all(this.callers);
    return this.outcomes;
  }
}

/** Asynchronous checks that are called back. */
export const askCalledBack = async (product: Product): Promise<Outcome> => {
  const answer = await product.check({ callbackUrl: product.callbacks.url() }).catch(() => undefined);
  const { requestId } = (answer?.body ?? {}) as { requestId?: string };
  return { at: Date.now(), status: answer?.status ?? 0, ...(requestId === undefined ? {} : { requestId }) };
};

export const acceptedIn = (outcomes: Outcome[]): string[] =>
  outcomes.flatMap(({ status, requestId }) => (status === 200 && requestId !== undefined ? [requestId] : []));
