import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { MetadataDocument } from '../metadata-document.js';
import {
  type ExpressionFailure,
  QUERY_FAILED,
  QUERY_LIMIT_EXCEEDED,
  QUERY_UNAVAILABLE,
} from './expression-failure.js';
import { ExpressionLane } from './expression-lane.js';

/** Of all documents of a rule together (contract.md section 8). */
const RULE_TIMEOUT_MS = 1_000;
/** After a document that took longer, its tenant uses the slow lane. */
const SLOW_MS = 100;
const SLOW_LANE_TTL_MS = 60_000;
const SLOW_LANE_IDLE_MS = 10_000;
const MAX_SLOW_TENANTS = 10_000;

/** The expression of a rule, and the time that it has left. */
export class RuleExpression {
  remainingMs = RULE_TIMEOUT_MS;

  constructor(
    readonly tenantId: string,
    readonly query: string,
    readonly variables: Readonly<Record<string, unknown>>,
  ) {}
}

/**
 * Evaluates expressions in worker threads. Tenants take turns after each document; one whose expression is slow shares a
 * second worker with other slow ones for a minute, so that it does not delay the rest.
 */
@Injectable()
export class ExpressionService implements OnApplicationShutdown {
  private readonly lane: ExpressionLane;
  private readonly slowLane: ExpressionLane;
  private readonly slowTenants = new LRUCache<string, true>({ max: MAX_SLOW_TENANTS, ttl: SLOW_LANE_TTL_MS });

  constructor(workerUrl = new URL('./expression.worker.js', import.meta.url)) {
    const slowLane = new ExpressionLane(workerUrl, undefined, SLOW_LANE_IDLE_MS);
    this.slowLane = slowLane;
    this.lane = new ExpressionLane(workerUrl, (tenantId, durationMs) => {
      if (durationMs <= SLOW_MS) return;
      this.slowTenants.set(tenantId, true);
      this.lane.moveWaiting(tenantId, slowLane);
    });
  }

  /** Whether the result over the document is exactly `true`. */
  async matches(
    expression: RuleExpression,
    { text }: MetadataDocument,
  ): Promise<boolean | ExpressionFailure> {
    const { tenantId, query, variables } = expression;
    const lane = this.slowTenants.has(tenantId) ? this.slowLane : this.lane;
    const evaluated = await lane.evaluate(tenantId, { query, variables, text }, () => expression.remainingMs);
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
    await Promise.all([this.lane.close(), this.slowLane.close()]);
  }
}
