import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isCancellationFrozen } from '../../freezes/is-frozen.js';
import { storedAddress as address, storedAmount as amount } from '../stored-values.js';
import { CANCELLATION_CAUSES, type CancellationCause } from './cancellation-causes.js';
import { LAPSED_REASON } from '../bundles/due-operations.js';

/** A bundler has had an operation for so long that nothing else explains why no block has it. */
const MAX_SUBMITTED = `interval '1 hour'`;
/** Fees of blocks may fall again before. */
const MAX_UNDERPRICED = `interval '30 minutes'`;
/** Most operations are in a block before. */
const MIN_SUBMITTED = `interval '5 minutes'`;

const cause = z.enum(Object.keys(CANCELLATION_CAUSES) as CancellationCause[]);
const waitingOperation = z.object({
  id: z.string(),
  clientId: z.string(),
  version: z.enum(['0.7', '0.8']),
  sender: address,
  nonceKey: amount,
  nonceSequence: amount,
  deploysAccount: z.boolean(),
  isSponsored: z.boolean(),
  maxFeePerGas: amount,
  maxGasCost: amount,
  /** Why a cancellation was made, unset for other operations. */
  cancels: cause.nullable(),
  isAtBundler: z.boolean(),
  isLate: z.boolean(),
  /** Whether the fee was below the base fee for half an hour. */
  isUnderpriced: z.boolean(),
  isMarkedUnderpriced: z.boolean(),
  /** The application whose operation waits behind this one, which has lapsed. */
  wantedBy: z.string().nullable(),
});
/** An operation, or the newest cancellation of a nonce, that may be unable to run. */
export type WaitingOperation = z.output<typeof waitingOperation>;

/** SQL condition: a newer cancellation of its nonce may be executed. */
const IS_SUPERSEDED = `EXISTS (
  SELECT FROM account_kit.user_operations AS c
  WHERE c.account_id = o.account_id AND c.chain_id = o.chain_id AND c.nonce_key = o.nonce_key
    AND c.nonce_sequence = o.nonce_sequence AND c.kind = 'cancellation' AND c.state NOT IN ('rejected', 'expired')
    AND (o.kind <> 'cancellation' OR c.cancellation_number > o.cancellation_number))`;

const WANTED_BY = `(
  SELECT later.client_id FROM account_kit.user_operations AS later
  WHERE later.account_id = o.account_id AND later.chain_id = o.chain_id AND later.nonce_key = o.nonce_key
    AND later.nonce_sequence > o.nonce_sequence AND later.kind <> 'cancellation'
    AND later.state IN ('accepted', 'signed', 'submitted', 'stuck') AND later.reason IS DISTINCT FROM '${LAPSED_REASON}'
  ORDER BY later.nonce_sequence LIMIT 1)`;

@Injectable()
export class LaneRepairRepository {
  constructor(private readonly database: Database) {}

  /** Operations that operators have not frozen, in the order of their ids, which come after `afterId`. */
  async find(chainId: number, afterId: string, limit: number): Promise<WaitingOperation[]> {
    const rows = await this.database.query(
      `SELECT o.id, o.client_id AS "clientId", o.account_version AS version, o.sender, o.nonce_key AS "nonceKey",
         o.nonce_sequence AS "nonceSequence", o.deploys_account AS "deploysAccount", o.paymaster IS NOT NULL AS "isSponsored",
         o.max_fee_per_gas AS "maxFeePerGas",
         (o.call_gas_limit + o.verification_gas_limit + o.pre_verification_gas) * o.max_fee_per_gas AS "maxGasCost",
         CASE WHEN o.kind = 'cancellation' THEN coalesce(o.details ->> 'cause', 'lane') END AS cancels,
         s.operation_id IS NOT NULL AS "isAtBundler",
         coalesce(s.submitted_at < now() - ${MAX_SUBMITTED}, false) AS "isLate",
         coalesce(s.underpriced_since < now() - ${MAX_UNDERPRICED}, false) AS "isUnderpriced",
         s.underpriced_since IS NOT NULL AS "isMarkedUnderpriced",
         CASE WHEN o.reason = '${LAPSED_REASON}' THEN ${WANTED_BY} END AS "wantedBy"
       FROM account_kit.user_operations AS o
       LEFT JOIN account_kit.bundler_submissions AS s ON s.operation_id = o.id
       WHERE o.chain_id = $1 AND o.id > $2 AND NOT ${IS_SUPERSEDED} AND NOT ${isCancellationFrozen('o')}
         AND ((o.state = 'submitted' AND (s.submitted_at < now() - ${MIN_SUBMITTED} OR (s.operation_id IS NOT NULL AND o.reason IS NOT NULL)))
           OR (o.state IN ('signed', 'stuck') AND o.reason IS NOT NULL))
       ORDER BY o.id LIMIT $3`,
      [chainId, afterId, limit],
    );
    return z.array(waitingOperation).parse(rows);
  }

  /** Keeps since when the fee of an operation is below the base fee. */
  async markUnderpriced(id: string, isUnderpriced: boolean): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.bundler_submissions
       SET underpriced_since = CASE WHEN $2 THEN coalesce(underpriced_since, clock_timestamp()) END
       WHERE operation_id = $1`,
      [id, isUnderpriced],
    );
  }
}
