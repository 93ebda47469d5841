import { MINUTE_MS, boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { type UnansweredWork, type WorkerAnswer, WorkerLane } from './worker-lane.js';

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
