import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isApplicationFrozen, isLaneFrozen } from '../../freezes/is-frozen.js';
import { isNot } from '../bundles/due-operations.js';
import { storedAddress as address, storedAmount as amount } from '../stored-values.js';
import { firstOf } from './wanted-by.js';

/** Time for a new operation to take the nonce. */
const MIN_AGE_MS = 2_000;

/** SQL of the operations that have a nonce of the lane of an operation. Those that expired, or were rejected before they were signed, have none any more. */
const hasNonce = (operation: string, sequence: string): string => `
  SELECT FROM account_kit.user_operations AS other
  WHERE other.account_id = ${operation}.account_id AND other.chain_id = ${operation}.chain_id
    AND other.nonce_key = ${operation}.nonce_key AND other.nonce_sequence = ${sequence}
    AND other.state <> 'expired' AND (other.state <> 'rejected' OR other.hash IS NOT NULL)`;

const laneGap = z.object({
  /** The signed operation that waits for the nonce. */
  laterId: z.string(),
  /** The applications of the operation that waits, unless operators have frozen it, and of those behind it. */
  clientIds: z.array(z.string()),
  version: z.enum(['0.7', '0.8']),
  sender: address,
  nonceKey: amount,
  /** That no operation has. */
  nonceSequence: amount,
});
/** A nonce that no operation has, before one that is signed. */
export type LaneGap = z.output<typeof laneGap>;

@Injectable()
export class LaneGapRepository {
  constructor(private readonly database: Database) {}

  /**
   * The last missing nonce before each signed operation, in the order of the ids of those operations, which come after `afterId`. Earlier
   * missing nonces are found when the last one has an operation.
   */
  async find(chainId: number, afterId: string, limit: number): Promise<LaneGap[]> {
    const rows = await this.database.query(
      `SELECT o.id AS "laterId", waiting.client_ids AS "clientIds", o.account_version AS version, o.sender,
         o.nonce_key AS "nonceKey", (o.nonce_sequence - 1)::text AS "nonceSequence"
       FROM account_kit.user_operations AS o
       CROSS JOIN LATERAL (
         SELECT array_remove(${firstOf('o.client_id', 'o')}, CASE WHEN ${isApplicationFrozen('o.client_id')} THEN o.client_id END)
           AS client_ids) AS waiting
       WHERE o.chain_id = $1 AND o.state IN ('signed', 'stuck', 'submitted') AND o.nonce_sequence > 0 AND o.id > $4
         AND o.changed_at < clock_timestamp() - $2 * interval '1 ms'
         AND (${isNot(isApplicationFrozen('o.client_id'))} OR cardinality(waiting.client_ids) > 0)
         AND ${isNot(isLaneFrozen('o'))} AND ${isNot(`EXISTS (${hasNonce('o', 'o.nonce_sequence - 1')})`)}
       ORDER BY o.id LIMIT $3`,
      [chainId, MIN_AGE_MS, limit, afterId],
    );
    return z.array(laneGap).parse(rows);
  }
}
