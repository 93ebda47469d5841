import { HOUR_MS, MINUTE_MS } from '@app/common';
import type { EntityManager } from 'typeorm';
import { reserveCallbacks } from './callback-schedules.queries.js';
import type { NewCallback } from './delivery.js';

/** A tenth of a minute's callbacks of a tenant may be due at once. */
const BURST_MS = MINUTE_MS / 10;
/** Callbacks that would wait longer are not created: receivers read the state instead. */
const MAX_WAIT_MS = HOUR_MS;

export interface CallbackShare {
  readonly perMinute: number;
  /** The schedule of a tenant: each has a rate of its own. */
  readonly toSchedule: (tenantId: string) => string;
}

/** Spaces the callbacks of each tenant beyond its limit per minute, and omits those that would wait too long. */
export async function scheduleCallbacks(
  manager: EntityManager,
  callbacks: readonly Omit<NewCallback, 'delayMs'>[],
  { perMinute, toSchedule }: CallbackShare,
): Promise<NewCallback[]> {
  const spacingMs = MINUTE_MS / perMinute;
  const maxAheadMs = BURST_MS + MAX_WAIT_MS;
  const counts = new Map<string, number>();
  for (const { tenantId } of callbacks) {
    const schedule = toSchedule(tenantId);
    counts.set(schedule, (counts.get(schedule) ?? 0) + 1);
  }
  const nextMs = new Map(await reserveCallbacks(manager, counts, { spacingMs, maxAheadMs }));
  return callbacks.flatMap((callback) => {
    const schedule = toSchedule(callback.tenantId);
    const atMs = nextMs.get(schedule) ?? 0;
    nextMs.set(schedule, atMs + spacingMs);
    return atMs >= maxAheadMs ? [] : [{ ...callback, delayMs: Math.max(0, atMs - BURST_MS) }];
  });
}
