import { queryRows, type Queryable } from '@app/database';
import type { Hex } from 'viem';
import { hexToBytes } from 'viem/utils';
import { z } from 'zod';

/** The signature of a sponsor, and the gas limits that it covers. Limits that are missing stay as they were estimated. */
interface StoredPaymasterData {
  /**
   * When the data expires, in seconds since 1970, where the EntryPoint enforces it: it is encoded in the data of our
   * own sponsor. An operation that is not executed by then is `expired`, and its client pays again.
   */
  readonly validUntil?: number | null | undefined;
  readonly paymasterData: Hex;
  readonly paymasterVerificationGasLimit?: bigint | null | undefined;
  readonly paymasterPostOpGasLimit?: bigint | null | undefined;
}

/** The signature of a sponsor is stored once: it is part of the operation's hash. */
export async function storePaymasterData(
  db: Queryable,
  id: string,
  data: StoredPaymasterData,
): Promise<void> {
  await queryRows(
    db,
    `UPDATE account_kit.user_operations SET paymaster_data = $2, valid_until = to_timestamp($3),
       paymaster_verification_gas_limit = coalesce($4, paymaster_verification_gas_limit),
       paymaster_post_op_gas_limit = coalesce($5, paymaster_post_op_gas_limit)
     WHERE id = $1 AND state = 'accepted' AND paymaster_data IS NULL`,
    [
      id,
      hexToBytes(data.paymasterData),
      data.validUntil ?? null,
      data.paymasterVerificationGasLimit?.toString() ?? null,
      data.paymasterPostOpGasLimit?.toString() ?? null,
    ],
  );
}

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
