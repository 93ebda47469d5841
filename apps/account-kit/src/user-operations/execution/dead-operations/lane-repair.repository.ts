import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isApplicationFrozen, isLaneFrozen } from '../../../limits/is-frozen.js';
import { isCancelled, isNot, LAPSED_REASON } from '../bundles/due-operations.js';
import { storedAddress as address, storedAmount as amount } from '../stored-values.js';
import { type ApplicationTurns, TURN_COLUMNS, turnFields, turnsOf } from './application-turns.js';
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
  ...turnFields,
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

/** SQL of the applications for which the nonce of an operation would be taken. */
const CLIENT_IDS = `(CASE WHEN ${isGivenUp('o')} THEN ${wantedBy('o')} ELSE ${firstOf('o.client_id', 'o')} END)`;
const submissionOf = (condition: string): string =>
  `EXISTS (SELECT FROM account_kit.bundler_submissions AS s WHERE s.operation_id = o.id AND ${condition})`;
const IS_LISTED = `
  o.state IN ('signed', 'stuck', 'submitted')
  AND (${isGivenUp('o')} OR o.reason IS NOT NULL OR ${submissionOf(`s.submitted_at < now() - ${MIN_SUBMITTED}`)})
  AND (o.state <> 'submitted' OR ${submissionOf('true')})
  AND ${isNot(isCancelled('o'))} AND ${isNot(isLaneFrozen('o'))}
  AND (${isNot(isGivenUp('o'))} OR cardinality(${wantedBy('o')}) > 0)`;
const FIND = `
  WITH RECURSIVE ${turnsOf({ isListed: IS_LISTED, hasUntried: false })}
  SELECT o.id, ${TURN_COLUMNS}, ${CLIENT_IDS} AS "clientIds", o.account_version AS version, o.sender, o.nonce_key AS "nonceKey",
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
  FROM turn JOIN account_kit.user_operations AS o ON o.id = turn.id
  LEFT JOIN account_kit.bundler_submissions AS s ON s.operation_id = o.id
  ORDER BY turn.number`;

@Injectable()
export class LaneRepairRepository {
  constructor(private readonly database: Database) {}

  /**
   * Operations in the order in which applications take turns. One that is given up is found only for an application that wants its nonce,
   * and nothing is found of accounts that operators have frozen.
   */
  async find(chainId: number, turns: ApplicationTurns, limit: number): Promise<WaitingOperation[]> {
    const rows = await this.database.query(FIND, [chainId, limit, ...turns.parameters]);
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
