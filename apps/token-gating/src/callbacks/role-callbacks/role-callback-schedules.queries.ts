import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@app/common';
import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** A single upsert: concurrent transactions that find no row would both begin at once. */
const RESERVE = `
  INSERT INTO token_gating.role_callback_schedules AS stored (tenant_id, begins_at, next_at)
  SELECT tenant_id, now(), now() + least(callbacks * $3::float8, $4) * interval '1 ms'
  FROM unnest($1::text[], $2::int[]) AS requested (tenant_id, callbacks) ORDER BY tenant_id
  ON CONFLICT (tenant_id) DO UPDATE SET begins_at = greatest(stored.next_at, now()),
    next_at = least(greatest(stored.next_at, now()) + (excluded.next_at - now()), now() + $4 * interval '1 ms')
  RETURNING tenant_id AS "tenantId", (extract(epoch FROM begins_at - now()) * 1000)::float8 AS "beginsInMs"`;

const reservations = z.array(z.object({ tenantId: z.string(), beginsInMs: z.number() }));

/**
 * Reserves time in schedules, of which `tenant_id` holds the name: `spacingMs` for each callback, at most until `maxAheadMs` from now. Locks the
 * schedules until the transaction ends.
 * @param callbacks number of callbacks by schedule
 * @returns when the reserved time of each schedule begins, in milliseconds from now
 */
async function reserveCallbacks(
  manager: EntityManager,
  callbacks: ReadonlyMap<string, number>,
  { spacingMs, maxAheadMs }: { spacingMs: number; maxAheadMs: number },
): Promise<ReadonlyMap<string, number>> {
  const parameters = [[...callbacks.keys()], [...callbacks.values()], spacingMs, maxAheadMs];
  const rows = reservations.parse(await queryRows(manager, RESERVE, parameters));
  return new Map(rows.map(({ tenantId, beginsInMs }) => [tenantId, beginsInMs]));
}

/** A tenth of a minute's callbacks of a tenant may be due at once. */
const BURST_MS = MINUTE_MS / 10;
/** Callbacks that would wait longer are not created: receivers read the state instead. */
const MAX_WAIT_MS = HOUR_MS;

interface CallbackShare {
  readonly perMinute: number;
  /** The schedule of a tenant: each has a rate of its own. */
  readonly toSchedule: (tenantId: string) => string;
}

/** Spaces the callbacks of each tenant beyond its limit per minute, and omits those that would wait too long. */
export async function scheduleCallbacks<T extends { readonly tenantId: string }>(
  manager: EntityManager,
  callbacks: readonly T[],
  { perMinute, toSchedule }: CallbackShare,
): Promise<(T & { readonly delayMs: number })[]> {
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

/**
 * Whether a tenant may do something now that it may do `perMinute` times in a minute, all of them at once. Where it may not, roll the
 * transaction back, so that a refused request counts as none. @returns seconds until it may; undefined where it may now
 */
export async function findWaitSeconds(
  manager: EntityManager,
  schedule: string,
  perMinute: number,
): Promise<number | undefined> {
  const spacingMs = MINUTE_MS / perMinute;
  const begins = await reserveCallbacks(manager, new Map([[schedule, 1]]), {
    spacingMs,
    maxAheadMs: MINUTE_MS,
  });
  const excessMs = (begins.get(schedule) ?? 0) + spacingMs - MINUTE_MS;
  return excessMs > 0 ? Math.ceil(excessMs / SECOND_MS) : undefined;
}
