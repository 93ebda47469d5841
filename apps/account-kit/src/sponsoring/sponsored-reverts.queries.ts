import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';

const countRows = z.tuple([z.object({ count: z.coerce.number().int(), endsAt: z.date() })]);

/** Operations of an application that a sponsor paid for and that reverted, of this UTC day, which ends at `endsAt`. */
export async function countSponsoredReverts(
  db: Queryable,
  clientId: string,
): Promise<{ count: number; endsAt: Date }> {
  const rows = await queryRows(
    db,
    `SELECT count(o.id), day.start + interval '1 day' AS "endsAt"
     FROM (SELECT date_trunc('day', now(), 'UTC') AS start) AS day
     LEFT JOIN account_kit.user_operations AS o
       ON o.client_id = $1 AND o.paymaster IS NOT NULL AND o.success = false AND o.accepted_at >= day.start
     GROUP BY day.start`,
    [clientId],
  );
  return countRows.parse(rows)[0];
}
