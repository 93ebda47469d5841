import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isApplicationFrozen, isLaneFrozen } from '../../../limits/is-frozen.js';
import { isNot } from '../bundles/due-operations.js';
import { storedAddress as address, storedAmount as amount } from '../stored-values.js';
import { type ApplicationTurns, TURN_COLUMNS, turnFields, turnsOf } from './application-turns.js';
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
  /** `id` is that of the signed operation that waits for the nonce. */
  ...turnFields,
  /** The applications of the operation that waits, unless operators have frozen it, and of those behind it. */
  clientIds: z.array(z.string()),
  version: z.enum(['0.7', '0.8']),
  sender: address,
  nonceKey: amount,
  /** A sequence number of the lane that no operation has. */
  nonceSequence: amount,
});
/** A nonce that no operation has, before one that is signed. */
export type LaneGap = z.output<typeof laneGap>;

/** SQL of the applications for which the nonce would be taken. */
const CLIENT_IDS = `array_remove(${firstOf('o.client_id', 'o')}, CASE WHEN ${isApplicationFrozen('o.client_id')} THEN o.client_id END)`;
const IS_LISTED = `
  o.state IN ('signed', 'stuck', 'submitted') AND o.nonce_sequence > 0 AND o.changed_at < clock_timestamp() - interval '${MIN_AGE_MS} ms'
  AND ${isNot(`EXISTS (${hasNonce('o', 'o.nonce_sequence - 1')})`)} AND ${isNot(isLaneFrozen('o'))}
  AND (${isNot(isApplicationFrozen('o.client_id'))} OR cardinality(${CLIENT_IDS}) > 0)`;
const FIND = `
  WITH RECURSIVE ${turnsOf({ isListed: IS_LISTED, hasUntried: true })}
  SELECT o.id, ${TURN_COLUMNS}, ${CLIENT_IDS} AS "clientIds", o.account_version AS version, o.sender, o.nonce_key AS "nonceKey",
    (o.nonce_sequence - 1)::text AS "nonceSequence"
  FROM turn JOIN account_kit.user_operations AS o ON o.id = turn.id ORDER BY turn.number`;

@Injectable()
export class LaneGapRepository {
  constructor(private readonly database: Database) {}

  /**
   * The last missing nonce before each signed operation, in the order in which applications take turns. Earlier missing nonces are found
   * when the last one has an operation.
   */
  async find(chainId: number, turns: ApplicationTurns, limit: number): Promise<LaneGap[]> {
    const rows = await this.database.query(FIND, [chainId, limit, ...turns.parameters]);
    return z.array(laneGap).parse(rows);
  }
}
