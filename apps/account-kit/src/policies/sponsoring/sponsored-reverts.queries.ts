import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';

const countRows = z.tuple([z.object({ count: z.coerce.number().int(), endsAt: z.date() })]);

/** User operations and Solana transactions of an application that a sponsor paid for and that failed, of this UTC day, which ends at `endsAt`. */
export async function countSponsoredReverts(
  db: Queryable,
  clientId: string,
): Promise<{ count: number; endsAt: Date }> {
  const rows = await queryRows(
    db,
    `SELECT
       (SELECT count(*) FROM account_kit.user_operations
        WHERE client_id = $1 AND paymaster IS NOT NULL AND success = false AND accepted_at >= day.start)
       + (SELECT count(*) FROM account_kit.solana_transactions
          WHERE client_id = $1 AND sponsor IS NOT NULL AND err IS NOT NULL AND accepted_at >= day.start) AS count,
       day.start + interval '1 day' AS "endsAt"
     FROM (SELECT date_trunc('day', now(), 'UTC') AS start) AS day`,
    [clientId],
  );
  return countRows.parse(rows)[0];
}
