import { Database, lockTransaction, queryRows, type Queryable } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { isApplicationFrozen } from '../../../limits/is-frozen.js';
import { OperationStateRepository, toAccountLock } from '../operation-state.repository.js';
import { storedAddress as address, storedAmount as amount } from '../stored-values.js';
import {
  type CancellationCause,
  causeOf,
  operationConflict,
  storedCause,
  toCauseDetails,
} from './cancellation-causes.js';
import { isInTransaction } from '../bundles/due-operations.js';
import type { CancellationPlan, CancelledNonce } from './plan-cancellation.js';

const standingCancellation = z.object({
  id: z.string(),
  state: z.string(),
  deploysAccount: z.boolean(),
  isFrozen: z.boolean(),
  isSponsored: z.boolean(),
});
/** The newest cancellation of a nonce that may still be executed, or was. */
export type StandingCancellation = z.output<typeof standingCancellation>;

const cancelledOperation = z
  .object({
    id: z.string(),
    state: z.string(),
    kind: z.string(),
    clientId: z.string(),
    accountId: z.string(),
    chainId: z.coerce.number().int(),
    version: z.enum(['0.7', '0.8']),
    sender: address,
    owner: address,
    nonceKey: amount,
    nonceSequence: amount,
    callFee: amount,
    callTip: amount,
    heldFee: amount,
    heldTip: amount,
    /** Another operation than a cancellation has the nonce, since this one has expired. */
    isTaken: z.boolean(),
    /** A transaction of an executor that is not final has the operation. */
    isInTransaction: z.boolean(),
    earlierCancellations: z.int(),
    standing: standingCancellation.nullable(),
  })
  .transform(({ callFee, callTip, heldFee, heldTip, ...row }) => ({
    ...row,
    replaced: {
      calls: { maxFeePerGas: callFee, maxPriorityFeePerGas: callTip },
      held: { maxFeePerGas: heldFee, maxPriorityFeePerGas: heldTip },
    },
  }));
/** An operation, or the place of a missing one, whose nonce a cancellation takes. */
export type CancelledOperation = z.output<typeof cancelledOperation> & CancelledNonce;

/** SQL of the operations at the nonce. */
const AT_NONCE = `
  FROM account_kit.user_operations AS other
  WHERE other.account_id = o.account_id AND other.chain_id = o.chain_id AND other.nonce_key = o.nonce_key
    AND other.nonce_sequence = coalesce($2, o.nonce_sequence)`;
const IS_LIVE = `(other.state <> 'rejected' OR other.hash IS NOT NULL) AND other.state <> 'expired'`;
const IS_CALL = `other.kind <> 'cancellation' AND other.hash IS NOT NULL`;
/** SQL condition: a bundler has the cancellation, or was asked and did not answer. */
const IS_HELD = `other.kind = 'cancellation' AND other.state = 'submitted' AND other.reason IS NULL`;
const highest = (column: string, condition: string): string =>
  `coalesce((SELECT max(other.${column}) ${AT_NONCE} AND ${condition}), 0)`;
const FIND = `
  SELECT o.id, o.state, o.kind, o.client_id AS "clientId", o.account_id AS "accountId", o.chain_id AS "chainId",
    o.account_version AS version, o.sender, a.signer_address AS owner, o.nonce_key AS "nonceKey",
    coalesce($2, o.nonce_sequence) AS "nonceSequence",
    ${highest('max_fee_per_gas', IS_CALL)} AS "callFee", ${highest('max_priority_fee_per_gas', IS_CALL)} AS "callTip",
    ${highest('max_fee_per_gas', IS_HELD)} AS "heldFee", ${highest('max_priority_fee_per_gas', IS_HELD)} AS "heldTip",
    EXISTS (SELECT ${AT_NONCE} AND other.kind <> 'cancellation' AND other.id <> o.id AND ${IS_LIVE}) AS "isTaken",
    ${isInTransaction('o')} AS "isInTransaction",
    (SELECT count(*)::int ${AT_NONCE} AND other.kind = 'cancellation' AND other.hash IS NOT NULL) AS "earlierCancellations",
    (SELECT json_build_object('id', other.id, 'state', other.state, 'deploysAccount', other.deploys_account,
       'isFrozen', ${isApplicationFrozen('other.client_id')}, 'isSponsored', other.paymaster IS NOT NULL)
     ${AT_NONCE} AND other.kind = 'cancellation' AND ${IS_LIVE}
     ORDER BY other.cancellation_number DESC LIMIT 1) AS standing
  FROM account_kit.user_operations AS o JOIN account_kit.smart_accounts AS a ON a.id = o.account_id
  WHERE o.id = $1`;

const INSERT = `
  INSERT INTO account_kit.user_operations (id, account_id, client_id, kind, chain_id, account_version, sender,
    nonce_key, nonce_sequence, deploys_account, call_data, call_gas_limit, verification_gas_limit,
    pre_verification_gas, max_fee_per_gas, max_priority_fee_per_gas, paymaster, paymaster_verification_gas_limit,
    paymaster_post_op_gas_limit, details, cancellation_number, state, state_seq, accepted_at, changed_at)
  SELECT $3, account_id, $4, 'cancellation', chain_id, account_version, sender,
    nonce_key, coalesce($2, nonce_sequence), $5, '', $14, $6, $7, $8, $9, $10, $11, $12, $13,
    1 + coalesce((SELECT max(other.cancellation_number) ${AT_NONCE} AND other.kind = 'cancellation'), 0),
    'accepted', 1, clock_timestamp(), clock_timestamp()
  FROM account_kit.user_operations AS o WHERE o.id = $1
  ON CONFLICT DO NOTHING RETURNING id`;

/** What a cancellation is stored with. */
interface NewCancellation {
  readonly id: string;
  /** The application that wants the nonce, and whose caps count the cancellation. */
  readonly clientId: string;
  readonly cause: CancellationCause;
  readonly plan: CancellationPlan;
  /** A sponsor or an executor pays for it, and the policy of the application does not sponsor the chain now. */
  readonly isPaidBeyondPolicy: boolean;
}

const causeRows = z.array(z.object({ cause: storedCause }));

@Injectable()
export class CancellationRepository {
  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
  ) {}

  /** @param sequence of the nonce, if it is not that of the operation but an earlier one of its lane, which no operation has */
  async find(
    id: string,
    sequence?: bigint,
    db: Queryable = this.database,
  ): Promise<CancelledOperation | undefined> {
    const rows = await queryRows(db, FIND, [id, sequence?.toString() ?? null]);
    return z.array(cancelledOperation).parse(rows)[0];
  }

  /**
   * Stores a cancellation as `accepted`, under the lock under which nonces are given away and that of the operation, which a bundle at the
   * same time waits for.
   * @param check throws for an operation that cannot be cancelled any more, and returns a cancellation that makes another one needless
   * @param charge counts the cancellation, in the same transaction
   * @returns the stored cancellation, or the one that `check` returned
   */
  insert(
    { id: operationId, accountId, chainId }: CancelledOperation,
    sequence: bigint | undefined,
    { id, clientId, cause, plan, isPaidBeyondPolicy }: NewCancellation,
    {
      check,
      charge,
    }: {
      readonly check: (now: CancelledOperation) => StandingCancellation | undefined;
      readonly charge: (manager: EntityManager) => Promise<void>;
    },
  ): Promise<Pick<StandingCancellation, 'id' | 'state'>> {
    return this.database.transaction(async (manager) => {
      await lockTransaction(manager, toAccountLock(accountId, chainId));
      await queryRows(manager, 'SELECT FROM account_kit.user_operations WHERE id = $1 FOR UPDATE', [
        operationId,
      ]);
      const now = await this.find(operationId, sequence, manager);
      if (!now) throw new Error('an operation that is cancelled has vanished');
      const standing = check(now);
      if (standing) return standing;
      const inserted = await queryRows(manager, INSERT, [
        ...[operationId, sequence?.toString() ?? null, id, clientId, plan.deploysAccount],
        ...[plan.verificationGasLimit, plan.preVerificationGas, plan.maxFeePerGas, plan.maxPriorityFeePerGas],
        plan.paymaster ?? null,
        plan.paymasterVerificationGasLimit ?? null,
        plan.paymasterPostOpGasLimit ?? null,
        JSON.stringify({ ...toCauseDetails(cause), isPaidBeyondPolicy }),
        plan.callGasLimit,
      ]);
      if (inserted.length === 0) throw operationConflict(now.state);
      await this.states.recordAccepted(manager, [id]);
      await charge(manager);
      return { id, state: 'accepted' };
    });
  }

  /** Why our cancellation that was executed at the nonce of an operation was made; undefined if another operation has used the nonce. */
  async findCause(operationId: string): Promise<CancellationCause | undefined> {
    const rows = await this.database.query(
      `SELECT ${causeOf('other')} AS cause
       FROM account_kit.user_operations AS o
       JOIN account_kit.user_operations AS other ON other.account_id = o.account_id AND other.chain_id = o.chain_id
         AND other.nonce_key = o.nonce_key AND other.nonce_sequence = o.nonce_sequence
       WHERE o.id = $1 AND o.kind <> 'cancellation' AND other.kind = 'cancellation'
         AND other.state IN ('included', 'final', 'reverted') AND other.details IS NOT NULL LIMIT 1`,
      [operationId],
    );
    return causeRows.parse(rows)[0]?.cause;
  }
}

/**
 * SQL conditions on what counts against the cancellations of a day. Instances that do not store whose policy sponsored what count all that a
 * sponsor paid for, or an executor, which pays for those without fees.
 */
const COUNTED = {
  asked: `details ->> 'cause' = 'asked'`,
  beyondPolicy: `coalesce((details ->> 'isPaidBeyondPolicy')::boolean, paymaster IS NOT NULL OR max_fee_per_gas = 0)`,
};

/** Cancellations of a client application on this UTC day, that it has asked for or that it does not pay, and when the day ends. */
export async function countCancellations(
  db: Queryable,
  clientId: string,
  counted: keyof typeof COUNTED,
): Promise<{ count: number; endsAt: Date }> {
  const rows = await queryRows(
    db,
    `SELECT day.start + interval '1 day' AS "endsAt", (SELECT count(*)::int FROM account_kit.user_operations
       WHERE client_id = $1 AND kind = 'cancellation' AND accepted_at >= day.start
         AND (state <> 'rejected' OR hash IS NOT NULL) AND ${COUNTED[counted]}) AS count
     FROM (SELECT date_trunc('day', now(), 'UTC') AS start) AS day`,
    [clientId],
  );
  return z.tuple([z.object({ count: z.int(), endsAt: z.date() })]).parse(rows)[0];
}
