import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';
import { isApplicationFrozen, isLaneFrozen } from '../../../limits/is-frozen.js';
import {
  firstOf,
  isCancelled,
  isGivenUp,
  isInTransaction,
  isNot,
  isReplaced,
  isUnfinished,
  isWanted,
  LAPSED_REASON,
  wantedBy,
} from '../operation-conditions.js';
import {
  storedAddress as address,
  storedAmount as amount,
  storedHash as hash,
} from '../transactions/stored-transaction.js';
import { type CancellationCause, causeOf, storedCause, toCauseDetails } from './cancellation-causes.js';
import type { ApplicationFairQueue } from './application-fair-queue.js';
import type { CancellationPlan, CancelledNonce } from './plan-cancellation.js';

/*
 * Statements over user operations that may never be executed by themselves: which applications take turns in looking at them, which nonces
 * are missing in lanes, and who wants a nonce.
 */

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Columns of a statement with `turnsOf`, which say whose turn a row is. */
const turnFields = {
  id: z.string(),
  /** The application whose turn it is. */
  application: z.string(),
  /** The operation of the application because of which the row is looked at. */
  turnId: z.string(),
};
const IS_TRIED = `mine.reason IS DISTINCT FROM '${LAPSED_REASON}'`;
const IS_UNTRIED = `mine.reason = '${LAPSED_REASON}'`;

interface TurnsOptions {
  /** SQL condition of the rows that are looked at, on the operation `o`. */
  readonly isListed: string;
  /** Whether what has lapsed is looked at although no application waits for its nonce. */
  readonly hasUntried: boolean;
}

/**
 * SQL of common table expressions, after `WITH RECURSIVE`. `turn` has the rows to look at on chain $1, at most $2: the next one of each
 * application, beginning with the application that has waited longest, then the second one of each, and so on. To an application belong
 * its unfinished operations, those that it was refused because of, and the operations of their lanes before them that are of other
 * applications or have lapsed. The columns of `turn` are `id`, `application`, `turn_id` and `number`, by which it is ordered. $3 to $5 are
 * `ApplicationFairQueue.parameters`. An index names the applications, so the number of finished operations does not matter.
 */
function turnsOf({ isListed, hasUntried }: TurnsOptions): string {
  const sources = [
    { application: 'client_id', condition: IS_TRIED },
    { application: 'wanted_by', condition: 'mine.wanted_by IS NOT NULL' },
    ...(hasUntried ? [{ application: 'client_id', condition: IS_UNTRIED }] : []),
  ];
  const applications = sources.map(({ application, condition }, index) => {
    const first = (
      after: string,
    ) => `SELECT min(mine.${application}) AS id FROM account_kit.user_operations AS mine
      WHERE mine.chain_id = $1 AND ${isUnfinished('mine')} AND ${condition} ${after}`;
    return `application_${index} AS (
      ${first('')} UNION ALL
      SELECT (${first(`AND mine.${application} > previous.id`)}) FROM application_${index} AS previous WHERE previous.id IS NOT NULL)`;
  });
  const mine = (side: string) =>
    sources.map(
      ({ application, condition }) => `
        (SELECT mine.id, mine.account_id, mine.chain_id, mine.nonce_key, mine.nonce_sequence FROM account_kit.user_operations AS mine
         WHERE mine.chain_id = $1 AND mine.${application} = application.id AND ${isUnfinished('mine')} AND ${condition}
           AND mine.id ${side} ORDER BY mine.id)`,
    );
  const page = (side: string, isWrapped: boolean) => `
    (SELECT ${isWrapped} AS is_wrapped, mine.id AS turn_id, o.id FROM (${mine(side).join(' UNION ALL ')} ORDER BY id) AS mine
     CROSS JOIN LATERAL (
       SELECT own.* FROM account_kit.user_operations AS own WHERE own.id = mine.id
       UNION ALL
       SELECT earlier.* FROM account_kit.user_operations AS earlier
       WHERE earlier.account_id = mine.account_id AND earlier.chain_id = mine.chain_id AND earlier.nonce_key = mine.nonce_key
         AND earlier.nonce_sequence <= mine.nonce_sequence AND ${isUnfinished('earlier')} AND earlier.id <> mine.id
         AND (earlier.client_id <> application.id OR earlier.reason = '${LAPSED_REASON}')) AS o
     WHERE ${isListed} ORDER BY mine.id LIMIT $2)`;
  return `${applications.join(', ')}, application AS (
      ${sources.map((_, index) => `SELECT id FROM application_${index} WHERE id IS NOT NULL`).join(' UNION ')}
    ), placed AS (
      SELECT application.id AS application, listed.turn_id, listed.id, last.number AS last_number, row_number() OVER (
        PARTITION BY application.id ORDER BY listed.is_wrapped, listed.turn_id, listed.id) AS place
      FROM application LEFT JOIN unnest($3::text[], $4::uuid[], $5::bigint[]) AS last(application, id, number)
        ON last.application = application.id
      CROSS JOIN LATERAL (
        ${page(`> coalesce(last.id, '${FIRST_ID}')`, false)} UNION ALL ${page('<= last.id', true)}) AS listed
    ), turn AS (
      SELECT id, application, turn_id, row_number() OVER (ORDER BY place, last_number NULLS FIRST, application) AS number
      FROM placed ORDER BY number LIMIT $2)`;
}

/** SQL columns of `turnFields`. */
const TURN_COLUMNS = `turn.application, turn.turn_id AS "turnId"`;

const doubtfulOperation = z.object({
  ...turnFields,
  hash,
  version: z.enum(['0.7', '0.8']),
  state: z.enum(['signed', 'stuck', 'submitted']),
  kind: z.enum(['call', 'mint', 'cancellation']),
  sender: address,
  nonceKey: amount,
  nonceSequence: amount,
  acceptedAt: z.date(),
  validUntil: z.date().nullable(),
});
/** An operation that failed its simulation, that a bundler refused, whose sponsor's signature has ended, or whose nonce another one has used. */
export type DoubtfulOperation = z.output<typeof doubtfulOperation>;

const IS_DOUBTFUL = `
  o.state IN ('signed', 'stuck', 'submitted') AND (o.valid_until < now() OR o.reason IS NOT NULL OR EXISTS (
    SELECT FROM account_kit.user_operations AS other
    WHERE other.account_id = o.account_id AND other.chain_id = o.chain_id AND other.nonce_key = o.nonce_key
      AND other.nonce_sequence = o.nonce_sequence AND other.id <> o.id AND other.state IN ('included', 'final', 'reverted')))`;
const FIND_DOUBTFUL = `
  WITH RECURSIVE ${turnsOf({ isListed: IS_DOUBTFUL, hasUntried: true })}
  SELECT o.id, ${TURN_COLUMNS}, o.hash, o.account_version AS version, o.state, o.kind, o.sender, o.nonce_key AS "nonceKey",
    o.nonce_sequence AS "nonceSequence", o.accepted_at AS "acceptedAt", o.valid_until AS "validUntil"
  FROM turn JOIN account_kit.user_operations AS o ON o.id = turn.id ORDER BY turn.number`;

/** Finds doubtful operations, in the order in which applications take turns. */
export async function findDoubtful(
  db: Queryable,
  chainId: number,
  queue: ApplicationFairQueue,
  limit: number,
): Promise<DoubtfulOperation[]> {
  const rows = await queryRows(db, FIND_DOUBTFUL, [chainId, limit, ...queue.parameters]);
  return z.array(doubtfulOperation).parse(rows);
}

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
const GAP_CLIENT_IDS = `array_remove(${firstOf('o.client_id', 'o')}, CASE WHEN ${isApplicationFrozen('o.client_id')} THEN o.client_id END)`;
const IS_GAP = `
  o.state IN ('signed', 'stuck', 'submitted') AND o.nonce_sequence > 0 AND o.changed_at < clock_timestamp() - interval '${MIN_AGE_MS} ms'
  AND ${isNot(`EXISTS (${hasNonce('o', 'o.nonce_sequence - 1')})`)} AND ${isNot(isLaneFrozen('o'))}
  AND (${isNot(isApplicationFrozen('o.client_id'))} OR cardinality(${GAP_CLIENT_IDS}) > 0)`;
const FIND_GAPS = `
  WITH RECURSIVE ${turnsOf({ isListed: IS_GAP, hasUntried: true })}
  SELECT o.id, ${TURN_COLUMNS}, ${GAP_CLIENT_IDS} AS "clientIds", o.account_version AS version, o.sender, o.nonce_key AS "nonceKey",
    (o.nonce_sequence - 1)::text AS "nonceSequence"
  FROM turn JOIN account_kit.user_operations AS o ON o.id = turn.id ORDER BY turn.number`;

/**
 * The last missing nonce before each signed operation, in the order in which applications take turns. Earlier missing nonces are found
 * when the last one has an operation.
 */
export async function findLaneGaps(
  db: Queryable,
  chainId: number,
  queue: ApplicationFairQueue,
  limit: number,
): Promise<LaneGap[]> {
  const rows = await queryRows(db, FIND_GAPS, [chainId, limit, ...queue.parameters]);
  return z.array(laneGap).parse(rows);
}

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
const REPAIR_CLIENT_IDS = `(CASE WHEN ${isGivenUp('o')} THEN ${wantedBy('o')} ELSE ${firstOf('o.client_id', 'o')} END)`;
const submissionOf = (condition: string): string =>
  `EXISTS (SELECT FROM account_kit.bundler_submissions AS s WHERE s.operation_id = o.id AND ${condition})`;
const IS_REPAIRABLE = `
  o.state IN ('signed', 'stuck', 'submitted')
  AND (${isGivenUp('o')} OR o.reason IS NOT NULL OR ${submissionOf(`s.submitted_at < now() - ${MIN_SUBMITTED}`)})
  AND (o.state <> 'submitted' OR ${submissionOf('true')})
  AND ${isNot(isCancelled('o'))} AND ${isNot(isLaneFrozen('o'))}
  AND (${isNot(isGivenUp('o'))} OR cardinality(${wantedBy('o')}) > 0)`;
const FIND_REPAIRS = `
  WITH RECURSIVE ${turnsOf({ isListed: IS_REPAIRABLE, hasUntried: false })}
  SELECT o.id, ${TURN_COLUMNS}, ${REPAIR_CLIENT_IDS} AS "clientIds", o.account_version AS version, o.sender, o.nonce_key AS "nonceKey",
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

/**
 * Operations in the order in which applications take turns. One that is given up is found only for an application that wants its nonce,
 * and nothing is found of accounts that operators have frozen.
 */
export async function findLaneRepairs(
  db: Queryable,
  chainId: number,
  queue: ApplicationFairQueue,
  limit: number,
): Promise<WaitingOperation[]> {
  const rows = await queryRows(db, FIND_REPAIRS, [chainId, limit, ...queue.parameters]);
  return z.array(waitingOperation).parse(rows);
}

/** Keeps since when the fee of an operation that a bundler was sent is below the base fee. */
export async function markUnderpriced(db: Queryable, id: string, isUnderpriced: boolean): Promise<void> {
  await queryRows(
    db,
    `UPDATE account_kit.bundler_submissions
       SET underpriced_since = CASE WHEN $2 THEN coalesce(underpriced_since, clock_timestamp()) END
       WHERE operation_id = $1`,
    [id, isUnderpriced],
  );
}

/** An application that was refused an operation in a lane of an account. */
interface RefusedRequest {
  readonly accountId: string;
  readonly chainId: number;
  readonly nonceKey: bigint;
  readonly clientId: string;
}

/** SQL condition: an earlier operation of the lane has to be executed or cancelled first. */
const IS_BEHIND = `EXISTS (
  SELECT FROM account_kit.user_operations AS earlier
  WHERE earlier.account_id = o.account_id AND earlier.chain_id = o.chain_id AND earlier.nonce_key = o.nonce_key
    AND earlier.nonce_sequence < o.nonce_sequence AND earlier.state IN ('accepted', 'signed', 'submitted', 'stuck')
    AND ${isNot(isReplaced('earlier'))})`;
/** SQL condition: a cancellation is on its way already, so that one more would be paid for nothing. */
const IS_REPAIRED = `EXISTS (
  SELECT FROM account_kit.user_operations AS c
  WHERE c.account_id = $1 AND c.chain_id = $2 AND c.kind = 'cancellation'
    AND c.state IN ('accepted', 'signed', 'submitted', 'stuck') AND ${isNot(isApplicationFrozen('c.client_id'))})`;
/** An application whose limits are used up keeps a nonce from another one for no longer than this. */
const MAX_UNREPAIRED = `interval '1 minute'`;
/** SQL condition: another nonce of the account is wanted already and comes first, so that the account is repaired one nonce at a time. */
const IS_ANOTHER_WANTED = `EXISTS (
  SELECT FROM account_kit.user_operations AS another
  WHERE another.account_id = $1 AND another.chain_id = $2 AND another.id <> o.id AND another.state IN ('signed', 'stuck', 'submitted')
    AND ${isWanted('another')} AND (another.wanted_by = $4 OR another.wanted_at > now() - ${MAX_UNREPAIRED}))`;

/**
 * Wants the nonce of an operation that nobody tries, because it may be why a new operation was refused: the first of the lane of the request,
 * or the oldest of the account. LaneRepairTracker cancels it for the application. The first application that wants it pays, unless operators
 * have frozen it since, or the nonce is not taken within a minute. `wanted_by` is never cleared: it counts only with a `wanted_at` after the
 * operation was given up (`isWanted`), another application overwrites it after a minute, and the index of turns holds unfinished operations
 * only.
 */
export async function wantNonce(
  db: Queryable,
  { accountId, chainId, nonceKey, clientId }: RefusedRequest,
): Promise<void> {
  await queryRows(
    db,
    `WITH wanted AS (
         SELECT o.id FROM account_kit.user_operations AS o
         WHERE o.account_id = $1 AND o.chain_id = $2 AND o.state IN ('signed', 'stuck', 'submitted') AND ${isGivenUp('o')}
           AND ${isNot(isCancelled('o'))} AND ${isNot(IS_BEHIND)} AND ${isNot(IS_REPAIRED)}
           AND ${isNot(IS_ANOTHER_WANTED)}
         ORDER BY o.nonce_key <> $3, o.accepted_at LIMIT 1
       )
       UPDATE account_kit.user_operations AS o SET wanted_by = $4, wanted_at = clock_timestamp()
       WHERE o.id IN (SELECT id FROM wanted)
         AND (${isNot(isWanted('o'))} OR o.wanted_by <> $4 AND o.wanted_at <= now() - ${MAX_UNREPAIRED})`,
    [accountId, chainId, String(nonceKey), clientId],
  );
}

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
const FIND_CANCELLED = `
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

const INSERT_CANCELLATION = `
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

/** A cancellation before it is stored. */
export interface NewCancellation {
  readonly id: string;
  /** The application that wants the nonce, and whose caps count the cancellation. */
  readonly clientId: string;
  readonly cause: CancellationCause;
  readonly plan: CancellationPlan;
  /** A sponsor or an executor pays for it, and the policy of the application does not sponsor the chain now. */
  readonly isPaidBeyondPolicy: boolean;
}

const causeRows = z.array(z.object({ cause: storedCause }));

/** @param sequence of the nonce, if it is not that of the operation but an earlier one of its lane, which no operation has */
export async function findCancelled(
  db: Queryable,
  id: string,
  sequence: bigint | undefined,
): Promise<CancelledOperation | undefined> {
  const rows = await queryRows(db, FIND_CANCELLED, [id, sequence?.toString() ?? null]);
  return z.array(cancelledOperation).parse(rows)[0];
}

/** Stores a cancellation as `accepted`. @returns false if an operation has the nonce */
export async function insertCancellation(
  db: Queryable,
  operationId: string,
  sequence: bigint | undefined,
  { id, clientId, cause, plan, isPaidBeyondPolicy }: NewCancellation,
): Promise<boolean> {
  const rows = await queryRows(db, INSERT_CANCELLATION, [
    ...[operationId, sequence?.toString() ?? null, id, clientId, plan.deploysAccount],
    ...[plan.verificationGasLimit, plan.preVerificationGas, plan.maxFeePerGas, plan.maxPriorityFeePerGas],
    plan.paymaster ?? null,
    plan.paymasterVerificationGasLimit ?? null,
    plan.paymasterPostOpGasLimit ?? null,
    JSON.stringify({ ...toCauseDetails(cause), isPaidBeyondPolicy }),
    plan.callGasLimit,
  ]);
  return rows.length > 0;
}

/** Why our cancellation that was executed at the nonce of an operation was made; undefined if another operation has used the nonce. */
export async function findCancellationCause(
  db: Queryable,
  operationId: string,
): Promise<CancellationCause | undefined> {
  const rows = await queryRows(
    db,
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
