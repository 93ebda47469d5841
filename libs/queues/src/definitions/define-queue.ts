import type { z } from 'zod';

export interface QueueOptions {
  /** Attempts in all, the first one included. */
  attempts: number;
  /** Pause before the next attempt, in milliseconds; exponential doubles it each time. `jitter` 0 to 1 takes off up to that share. */
  backoff: { type: 'fixed' | 'exponential'; delay: number; jitter?: number };
  /** How many finished jobs are kept to look at; `age` in seconds. */
  removeOnComplete: boolean | { count: number; age?: number };
  /** Failed jobs are the list that operators look at. */
  removeOnFail: boolean | { count: number; age?: number };
}

/** A queue: its name, what its jobs carry, what makes two jobs the same, and how they are tried and kept. */
export interface QueueDefinition<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Its output has to be JSON: that is what travels. */
  readonly payload: S;
  /** Two jobs with one id are one job, while the first of them is still there. */
  readonly jobId: (data: z.output<S>) => string;
  /**
   * Of the jobs that wait the lowest is next, and of equal ones the oldest: an integer up to 2^21 - 1. `now` is in
   * milliseconds. Without it, as with 0, a job goes before all that have one.
   */
  readonly priority?: (data: z.output<S>, now: number) => number;
  readonly options: QueueOptions;
}

/** What the jobs of a queue carry: `PayloadOf<typeof checkRolesQueue>`. */
export type PayloadOf<D extends QueueDefinition> = z.output<D['payload']>;

export function defineQueue<S extends z.ZodType>(definition: QueueDefinition<S>): QueueDefinition<S> {
  return Object.freeze(definition);
}
