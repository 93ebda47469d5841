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
export async function reserveCallbacks(
  manager: EntityManager,
  callbacks: ReadonlyMap<string, number>,
  { spacingMs, maxAheadMs }: { spacingMs: number; maxAheadMs: number },
): Promise<ReadonlyMap<string, number>> {
  const parameters = [[...callbacks.keys()], [...callbacks.values()], spacingMs, maxAheadMs];
  const rows = reservations.parse(await queryRows(manager, RESERVE, parameters));
  return new Map(rows.map(({ tenantId, beginsInMs }) => [tenantId, beginsInMs]));
}
