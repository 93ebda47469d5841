import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const RESERVE = `
  WITH requested AS (
    SELECT * FROM unnest($1::text[], $2::int[]) AS requested (tenant_id, callbacks)
  ), locked AS (
    SELECT tenant_id, next_at FROM token_gating.role_callback_schedules
    WHERE tenant_id = ANY($1::text[]) ORDER BY tenant_id FOR UPDATE
  ), reserved AS (
    SELECT tenant_id, callbacks, greatest(next_at, now()) AS begins_at
    FROM requested LEFT JOIN locked USING (tenant_id)
  ), stored AS (
    INSERT INTO token_gating.role_callback_schedules (tenant_id, next_at)
    SELECT tenant_id, least(begins_at + callbacks * $3::float8 * interval '1 ms', now() + $4 * interval '1 ms')
    FROM reserved ORDER BY tenant_id
    ON CONFLICT (tenant_id) DO UPDATE SET next_at = excluded.next_at
  )
  SELECT tenant_id AS "tenantId", (extract(epoch FROM begins_at - now()) * 1000)::float8 AS "beginsInMs" FROM reserved`;

const reservations = z.array(z.object({ tenantId: z.string(), beginsInMs: z.number() }));

/**
 * Reserves time in the schedules of tenants: `spacingMs` for each callback, at most until `maxAheadMs` from now. Locks the
 * schedules until the transaction ends.
 * @param callbacks number of callbacks by tenant
 * @returns when the reserved time of each tenant begins, in milliseconds from now
 */
export async function reserveRoleCallbacks(
  manager: EntityManager,
  callbacks: ReadonlyMap<string, number>,
  { spacingMs, maxAheadMs }: { spacingMs: number; maxAheadMs: number },
): Promise<ReadonlyMap<string, number>> {
  const parameters = [[...callbacks.keys()], [...callbacks.values()], spacingMs, maxAheadMs];
  const rows = reservations.parse(await queryRows(manager, RESERVE, parameters));
  return new Map(rows.map(({ tenantId, beginsInMs }) => [tenantId, beginsInMs]));
}
