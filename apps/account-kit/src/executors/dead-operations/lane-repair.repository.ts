import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isApplicationFrozen, isLaneFrozen } from '../../freezes/is-frozen.js';
import { isCancelled, isNot, LAPSED_REASON } from '../bundles/due-operations.js';
import { storedAddress as address, storedAmount as amount } from '../stored-values.js';
import { causeOf, storedCause } from './cancellation-causes.js';
import { firstOf, isGivenUp, wantedBy } from './wanted-by.js';

/** A bundler has had an operation for so long that nothing else explains why no block has it. */
const MAX_SUBMITTED = `interval '1 hour'`;
/**
 * The first cancellation of a nonce that its bundler refuses is replaced after a minute, and one that it holds after an hour. Each further
 * one waits for twice as long as the one before, because each is 12 % dearer.
 */
const MAX_PENDING = `CASE WHEN o.reason IS NULL THEN interval '1 hour' ELSE interval '1 minute' END`;
/** Fees of blocks may fall again before. */
const MAX_UNDERPRICED = `interval '30 minutes'`;
/** Most operations are in a block before. */
const MIN_SUBMITTED = `interval '5 minutes'`;

const waitingOperation = z.object({
  id: z.string(),
  /** The applications for which its nonce would be taken. The first one pays, unless its limits are used up. */
  clientIds: z.array(z.string()),
  version: z.enum(['0.7', '0.8']),
  sender: address,
  nonceKey: amount,
  nonceSequence: amount,
  deploysAccount: z.boolean(),
  isSponsored: z.boolean(),
  maxFeePerGas: amount,
  maxGasCost: amount,
  /** Why a cancellation was made, unset for other operations. */
  cancels: storedCause.nullable(),
  isAtBundler: z.boolean(),
  isLate: z.boolean(),
  /** A cancellation that its bundler has refused or not executed for so long that another one is worth its price. */
  isOverdue: z.boolean(),
  /** Whether the fee was below the base fee for half an hour. */
  isUnderpriced: z.boolean(),
  isMarkedUnderpriced: z.boolean(),
  /** Why nothing tries it any more, though its nonce is wanted. */
  givenUp: z.enum(['lapsed', 'frozen']).nullable(),
});
/** An operation, or the newest cancellation of a nonce, that may be unable to run. */
export type WaitingOperation = z.output<typeof waitingOperation>;

@Injectable()
export class LaneRepairRepository {
  constructor(private readonly database: Database) {}

  /**
   * Operations in the order of their ids, which come after `afterId`. One that is given up is found only for an application that wants its
   * nonce, and nothing is found of accounts that operators have frozen.
   */
  async find(chainId: number, afterId: string, limit: number): Promise<WaitingOperation[]> {
    const rows = await this.database.query(
      `SELECT o.id, wanted.client_ids AS "clientIds", o.account_version AS version, o.sender, o.nonce_key AS "nonceKey",
         o.nonce_sequence AS "nonceSequence", o.deploys_account AS "deploysAccount", o.paymaster IS NOT NULL AS "isSponsored",
         o.max_fee_per_gas AS "maxFeePerGas",
         (o.call_gas_limit + o.verification_gas_limit + o.pre_verification_gas) * o.max_fee_per_gas AS "maxGasCost",
         CASE WHEN o.kind = 'cancellation' THEN coalesce(${causeOf('o')}, 'lane') END AS cancels,
         s.operation_id IS NOT NULL AS "isAtBundler",
         coalesce(s.submitted_at < now() - ${MAX_SUBMITTED}, false) AS "isLate",
         coalesce(o.kind = 'cancellation' AND s.submitted_at < now() - ${MAX_PENDING} * 2 ^ least(o.cancellation_number - 1, 20), false)
           AS "isOverdue",
         coalesce(s.underpriced_since < now() - ${MAX_UNDERPRICED}, false) AS "isUnderpriced",
         s.underpriced_since IS NOT NULL AS "isMarkedUnderpriced",
         CASE WHEN ${isApplicationFrozen('o.client_id')} THEN 'frozen' WHEN o.reason = '${LAPSED_REASON}' THEN 'lapsed' END AS "givenUp"
       FROM account_kit.user_operations AS o
       LEFT JOIN account_kit.bundler_submissions AS s ON s.operation_id = o.id
       CROSS JOIN LATERAL (SELECT CASE WHEN ${isGivenUp('o')} THEN ${wantedBy('o')}
         ELSE ${firstOf('o.client_id', 'o')} END AS client_ids) AS wanted
       WHERE o.chain_id = $1 AND o.id > $2 AND o.state IN ('signed', 'stuck', 'submitted')
         AND (${isNot(isGivenUp('o'))} OR cardinality(wanted.client_ids) > 0)
         AND (o.state <> 'submitted' OR s.operation_id IS NOT NULL)
         AND (${isGivenUp('o')} OR o.reason IS NOT NULL OR s.submitted_at < now() - ${MIN_SUBMITTED})
         AND ${isNot(isCancelled('o'))} AND ${isNot(isLaneFrozen('o'))}
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
