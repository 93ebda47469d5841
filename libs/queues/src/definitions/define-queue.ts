import { z } from 'zod';
import { findTextProblem, MAX_JSON_DEPTH } from '@app/common';

export interface QueueOptions {
  /** The first attempt included. */
  attempts: number;
  /** `delay` in milliseconds, doubled each time by 'exponential'. `jitter`, 0 to 1, is the share that chance may take off. */
  backoff: { type: 'fixed' | 'exponential'; delay: number; jitter?: number };
  /** How many completed jobs are kept; `age` in seconds. */
  removeOnComplete: boolean | { count: number; age?: number };
  /** How many failed jobs are kept, for operators. */
  removeOnFail: boolean | { count: number; age?: number };
}

/** A payload in two: `readable` is undefined when nothing of it is known to this release. */
export interface SplitPayload<P> {
  readonly readable: P | undefined;
  readonly unreadable: object;
}

/** The name, payload, job id and job options of a queue. */
export interface QueueDefinition<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** What a job is about, for the AsyncAPI document. Queues of tests have none. */
  readonly description?: string;
  /** The schema of the payload, whose output must be JSON. */
  readonly payload: S;
  /** A job is not added while one with the same id exists. */
  readonly jobId: (data: z.output<S>) => string;
  /**
   * An integer up to 2^21 - 1: the lowest runs first, and the oldest of equals. Jobs without a priority, or 0, run before
   * all others. `now` is in milliseconds.
   */
  readonly priority?: (data: z.output<S>, now: number) => number;
  /** Splits an invalid payload, so that a consumer handles what it can read. Undefined when it cannot be split. */
  readonly split?: (data: unknown) => SplitPayload<z.output<S>> | undefined;
  /** Makes fewer jobs of the payloads that an outbox sends at the same time. */
  readonly merge?: ((data: readonly z.output<S>[]) => z.output<S>[]) | undefined;
  /**
   * Finds the time at which the first of what a job is about happened, in milliseconds since 1970. Undefined where the
   * data is not known.
   */
  readonly findOldestTime?: (data: unknown) => number | undefined;
  readonly options: QueueOptions;
}

/** The payload type of a queue: `PayloadOf<typeof checkRolesQueue>`. */
export type PayloadOf<D extends QueueDefinition> = z.output<D['payload']>;

export function defineQueue<S extends z.ZodType>(definition: QueueDefinition<S>): QueueDefinition<S> {
  return Object.freeze(definition);
}

interface JsonNode {
  value: unknown;
  path: string[];
}

/** Rejects JSON with text that PostgreSQL cannot store, or too deep: `schema.superRefine(checkStorableJson)`. */
export function checkStorableJson(json: unknown, context: z.RefinementCtx): void {
  const nodes: JsonNode[] = [{ value: json, path: [] }];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    const problem = findProblem(node);
    if (problem !== undefined) {
      context.addIssue({ code: 'custom', path: node.path, message: problem });
      return;
    }
    nodes.push(...listChildren(node));
  }
}

function findProblem({ value, path }: JsonNode): string | undefined {
  if (path.length > MAX_JSON_DEPTH) return `is nested deeper than ${MAX_JSON_DEPTH} levels`;
  const nameProblem = findTextProblem(path.at(-1) ?? '');
  if (nameProblem !== undefined) return nameProblem;
  return typeof value === 'string' ? findTextProblem(value) : undefined;
}

const listChildren = ({ value, path }: JsonNode): JsonNode[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, inner]: [string, unknown]) => ({
        value: inner,
        path: [...path, name],
      }))
    : [];

/** A request id in lower case, as PostgreSQL returns UUIDs. */
export const requestId = z.uuid().toLowerCase();
