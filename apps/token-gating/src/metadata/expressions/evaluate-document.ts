import jsonata from 'jsonata';
import type { WorkerAnswer } from '../workers/worker-lane.js';

/** What a worker is asked: whether the document is one that the query describes. */
export interface EvaluationRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** A JSON object. */
  readonly text: string;
}

/** `matched` when the result is exactly `true`; `failed` when the expression cannot be evaluated over this document. */
export type EvaluationOutcome = 'matched' | 'not_matched' | 'failed' | 'limit_exceeded';

/** What a worker answers. */
export interface Evaluated extends WorkerAnswer {
  readonly outcome: EvaluationOutcome;
}

/** contract.md section 8. */
const MAX_DEPTH = 100;
const MAX_STEPS = 100_000;
/** Items of one list, before the memory is exhausted. */
const MAX_SEQUENCE_LENGTH = 100_000;

/** JSONata's codes of exceeded limits: length of a range, depth, and length of a list. */
const LIMIT_CODES = new Set(['D2014', 'D1011', 'D2015']);

class StepLimitError extends Error {}

/** Evaluates an expression with bounds on depth and steps. Time and memory are bounded by its worker thread. */
export async function evaluateDocument(request: EvaluationRequest): Promise<Evaluated> {
  const startedAt = performance.now();
  const outcome = await evaluate(request);
  return { outcome, durationMs: performance.now() - startedAt };
}

async function evaluate({ query, variables, text }: EvaluationRequest): Promise<EvaluationOutcome> {
  try {
    const expression = jsonata(query, { stack: MAX_DEPTH, sequence: MAX_SEQUENCE_LENGTH });
    let steps = 0;
    // The types leave out that names may be symbols, which no expression can write.
    const environment: { assign: (name: string & symbol, value: unknown) => void } = expression;
    environment.assign(Symbol.for('jsonata.__evaluate_entry') as string & symbol, () => {
      steps += 1;
      if (steps > MAX_STEPS) throw new StepLimitError('too many steps');
    });
    const result: unknown = await expression.evaluate(JSON.parse(text), { ...variables });
    return result === true ? 'matched' : 'not_matched';
  } catch (error) {
    const isLimit =
      error instanceof StepLimitError || LIMIT_CODES.has((error as { code?: string }).code ?? '');
    return isLimit || error instanceof RangeError ? 'limit_exceeded' : 'failed';
  }
}
