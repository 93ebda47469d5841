import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { MetadataDocument } from '../metadata-document.js';
import { WorkerLanes } from '../workers/worker-lane.js';
import type { Evaluated, EvaluationRequest } from './evaluate-document.js';
import {
  type ExpressionFailure,
  QUERY_FAILED,
  QUERY_LIMIT_EXCEEDED,
  QUERY_UNAVAILABLE,
} from './expression-failure.js';

/** Time for all documents of a rule together (contract.md section 8). */
const RULE_TIMEOUT_MS = 1_000;

/** The expression of a rule, and the time that it has left. */
export class RuleExpression {
  remainingMs = RULE_TIMEOUT_MS;

  constructor(
    readonly tenantId: string,
    readonly query: string,
    readonly variables: Readonly<Record<string, unknown>>,
  ) {}
}

/** Evaluates expressions in worker threads. */
@Injectable()
export class ExpressionService implements OnApplicationShutdown {
  private readonly lanes: WorkerLanes<EvaluationRequest, Evaluated>;

  constructor(workerUrl = new URL('./expression.worker.js', import.meta.url)) {
    this.lanes = new WorkerLanes(workerUrl);
  }

  /** Whether the result over the document is exactly `true`. */
  async matches(
    expression: RuleExpression,
    { text }: MetadataDocument,
  ): Promise<boolean | ExpressionFailure> {
    const { tenantId, query, variables } = expression;
    const request = { query, variables, text };
    const evaluated = await this.lanes.run(tenantId, request, () => expression.remainingMs);
    if (!evaluated) return QUERY_UNAVAILABLE;
    expression.remainingMs -= evaluated.durationMs;
    switch (evaluated.outcome) {
      case 'limit_exceeded':
        return QUERY_LIMIT_EXCEEDED;
      case 'unavailable':
        return QUERY_UNAVAILABLE;
      case 'failed':
        return QUERY_FAILED;
      default:
        return evaluated.outcome === 'matched';
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.lanes.close();
  }
}
