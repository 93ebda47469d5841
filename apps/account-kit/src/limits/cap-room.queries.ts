import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';
import { describeCap, toCapKey } from './cap.js';
import { toCapPeriod } from './cap-period.js';
import type { CappedUse } from './reservation.js';

/** What is left of a cap. Amounts are decimal text. */
interface CapRoom {
  readonly limit: string;
  readonly remaining: string;
  readonly availableAt: string;
}

const roomRows = z.array(z.object({ key: z.string(), periodStart: z.date(), remaining: z.string() }));

/** What the reservations of an operation leave of their caps, as the transaction that has reserved them sees it. */
export async function listCapRoom(
  db: Queryable,
  operationId: string,
  uses: readonly CappedUse[],
): Promise<CapRoom[]> {
  if (uses.length === 0) return [];
  const rows = await queryRows(
    db,
    `SELECT r.cap_key AS key, r.period_start AS "periodStart", (u.max - u.used)::text AS remaining
     FROM account_kit.cap_reservations AS r JOIN account_kit.cap_usage AS u USING (client_id, cap_key, subject, period_start)
     WHERE r.operation_id = $1`,
    [operationId],
  );
  const found = new Map(roomRows.parse(rows).map((row) => [row.key, row]));
  return uses.flatMap(({ cap }) => {
    const row = found.get(toCapKey(cap));
    if (!row) return [];
    const { end } = toCapPeriod(cap.period, row.periodStart);
    return [{ limit: describeCap(cap), remaining: row.remaining, availableAt: end.toISOString() }];
  });
}
