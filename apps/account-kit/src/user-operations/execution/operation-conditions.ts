import { isApplicationFrozen, isOperationFrozen } from '../../limits/is-frozen.js';

/** Why an operation without a sponsor is not tried any more: it was not executed within a day. Its state is `stuck`. */
export const LAPSED_REASON = 'lapsed';
/** The beginning of the reason of an operation that a bundler was sent and did not answer. */
export const UNANSWERED_BY_BUNDLER = 'the bundler does not answer';
/** An operation without a sponsor is tried for this time after its acceptance. A sponsor's signature ends by itself. */
const MAX_TRIED = `interval '24 hours'`;

/**
 * SQL condition. PostgreSQL makes joins of `NOT EXISTS`, and without statistics of a table that has just grown joins every waiting operation
 * with every other one: 200 of them took 9 s. Written like this, it looks for the rows of one operation by an index.
 */
export const isNot = (condition: string): string => `((${condition}) IS NOT TRUE)`;

/** SQL condition: the day of an operation without a sponsor has ended. Cancellations keep their lanes going, so they have no end. */
export const hasLapsed = (o: string): string =>
  `${o}.valid_until IS NULL AND ${o}.kind <> 'cancellation' AND ${o}.accepted_at <= now() - ${MAX_TRIED}`;

/** SQL condition: a transaction of an executor that is not final has the operation. */
export const isInTransaction = (o: string): string => `EXISTS (
  SELECT FROM account_kit.executor_transaction_operations AS link
  JOIN account_kit.executor_transactions AS t ON t.id = link.transaction_id
  WHERE link.operation_id = ${o}.id AND t.state IN ('pending', 'mined'))`;

/** SQL condition: the operation waits to be sent, and its pause is over. */
export const isWaiting = (o: string): string =>
  `${o}.state IN ('signed', 'stuck') AND (${o}.next_attempt_at IS NULL OR ${o}.next_attempt_at <= now())`;

/**
 * SQL condition: the sponsor's signature does not end within five minutes. Inclusion takes time, and a transaction that is mined too late
 * costs the gas of a revert.
 */
const isValid = (o: string): string =>
  `(${o}.valid_until IS NULL OR ${o}.valid_until > now() + interval '5 minutes')`;

/** Cancellations of an operation: they have its nonce. */
const cancellationsOf = (o: string): string => `
  SELECT FROM account_kit.user_operations AS cancellation
  WHERE cancellation.account_id = ${o}.account_id AND cancellation.chain_id = ${o}.chain_id
    AND cancellation.nonce_key = ${o}.nonce_key AND cancellation.nonce_sequence = ${o}.nonce_sequence
    AND cancellation.kind = 'cancellation'`;

/** SQL condition: a cancellation is to take the nonce of the operation. The newest of several cancellations takes it. */
export const isCancelled = (o: string): string =>
  `EXISTS (${cancellationsOf(o)} AND cancellation.state NOT IN ('rejected', 'expired')
    AND (${o}.kind <> 'cancellation' OR cancellation.cancellation_number > ${o}.cancellation_number))`;
/** SQL condition: a cancellation has taken the nonce of the operation. */
export const isReplaced = (o: string): string =>
  `EXISTS (${cancellationsOf(o)} AND cancellation.state IN ('included', 'final', 'reverted'))`;

/** SQL condition: the operation failed its simulation, or its transaction did, so that only some are tried beside the others. */
export const isRepeat = (o: string): string =>
  `(${o}.reason IS NOT NULL OR ${o}.simulation_failures > 0 OR ${o}.strikes > 0 OR ${o}.goes_alone OR ${o}.state = 'stuck')`;

/**
 * SQL condition: the operation was held when it was claimed last, and never failed. Fresh ones go first: thousands that wait for lower fees,
 * stocked for a spike, would otherwise fill every claim.
 */
export const isHeld = (o: string): string => `(${o}.hold_reason IS NOT NULL AND NOT ${isRepeat(o)})`;

/** SQL of why the operation has failed, or why it waits. */
export const shownReason = (o: string): string =>
  `CASE WHEN ${o}.state IN ('signed', 'stuck') AND ${o}.reason IS DISTINCT FROM '${LAPSED_REASON}'
     THEN coalesce(${o}.hold_reason, ${o}.reason) ELSE ${o}.reason END`;

/**
 * SQL condition: the executor transaction is mined late or never, so it must not hold back the operations of a sponsor that many tenants
 * share. Transactions are mined within seconds otherwise.
 */
const isStalled = (t: string): string =>
  `(${t}.refused_since IS NOT NULL OR ${t}.given_up_for IS NOT NULL OR ${t}.created_at < now() - interval '1 minute')`;

/**
 * SQL of the operations of chain $1 that are in transactions which wait to be mined. `is_followed`: the transaction is of executor $2,
 * whose later transactions are executed after it. Of transactions of other executors nobody knows whether they come before or after, and
 * of those that nodes refuse or that were given up nobody knows whether they come at all.
 */
export const IN_FLIGHT = `
  SELECT o.id, o.account_id, o.paymaster, t.refused_since IS NOT NULL AS is_refused, ${isStalled('t')} AS is_stalled,
    t.executor IS NOT DISTINCT FROM $2 AND t.refused_since IS NULL AND t.given_up_for IS NULL AS is_followed
  FROM account_kit.executor_transactions AS t
  JOIN account_kit.executor_transaction_operations AS link ON link.transaction_id = t.id
  JOIN account_kit.user_operations AS o ON o.id = link.operation_id
  WHERE t.chain_id = $1 AND t.state = 'pending'`;

/** SQL condition on a row of `IN_FLIGHT`: it changes the balance from which the operation pays. */
export const isSharedWith = (o: string): string =>
  `(flight.account_id = ${o}.account_id OR flight.paymaster = ${o}.paymaster)`;

/**
 * SQL condition on a row of `IN_FLIGHT` that is not followed: the operation waits for it. The deposit of a paymaster covers the worst case
 * of all that is in flight, so its other operations do not wait for a transaction that is stalled.
 */
const isHeldBackBy = (o: string): string =>
  `(flight.account_id = ${o}.account_id OR (flight.paymaster = ${o}.paymaster AND NOT flight.is_stalled))`;

/**
 * SQL condition: nodes may refuse the transaction of an operation that goes alone, which blocks the nonces of an executor for minutes. So
 * operations that were in one transaction prove themselves one after another, and one with a strike waits for all that is refused.
 */
const isBehindRefused = (o: string): string =>
  `(${o}.goes_alone AND EXISTS (
    SELECT FROM in_flight AS flight WHERE flight.is_refused AND (${o}.strikes > 0 OR EXISTS (
      SELECT FROM account_kit.executor_transaction_operations AS mine
      JOIN account_kit.executor_transaction_operations AS other ON other.transaction_id = mine.transaction_id
      WHERE mine.operation_id = ${o}.id AND other.operation_id = flight.id))))`;

/** SQL condition: nothing but an earlier operation of its lane keeps the operation from being sent. `in_flight` holds IN_FLIGHT. */
export const isDue = (o: string): string => `(
  ${isWaiting(o)} AND ${isValid(o)} AND ${isNot(hasLapsed(o))} AND ${isNot(isOperationFrozen(o))}
  AND ${isNot(isBehindRefused(o))}
  AND ${isNot(`EXISTS (SELECT FROM in_flight AS flight WHERE NOT flight.is_followed AND ${isHeldBackBy(o)})`)})`;

/** SQL condition: an earlier operation of its lane has to be executed first, and neither comes with it nor is in a transaction that it follows. */
export const isBehind = (o: string): string => `EXISTS (
  SELECT FROM account_kit.user_operations AS earlier
  WHERE earlier.account_id = ${o}.account_id AND earlier.chain_id = ${o}.chain_id
    AND earlier.nonce_key = ${o}.nonce_key AND earlier.nonce_sequence < ${o}.nonce_sequence
    AND earlier.state IN ('accepted', 'signed', 'submitted', 'stuck')
    AND ${isNot(`NOT ${isRepeat(o)} AND NOT ${isRepeat('earlier')} AND ${isHeld(o)} = ${isHeld('earlier')} AND ${isDue('earlier')}`)}
    AND ${isNot('EXISTS (SELECT FROM in_flight AS flight WHERE flight.is_followed AND flight.id = earlier.id)')}
    AND ${isNot(isCancelled('earlier'))} AND ${isNot(isReplaced('earlier'))})`;

/** SQL condition: no other executor has an operation in a transaction that waits to be mined, and that the operation waits for. */
export const isNobodyElses = (executor: string): string =>
  isNot(`EXISTS (
  SELECT FROM account_kit.executor_transactions AS t
  JOIN account_kit.executor_transaction_operations AS link ON link.transaction_id = t.id
  JOIN LATERAL (SELECT o.account_id, o.paymaster, ${isStalled('t')} AS is_stalled
    FROM account_kit.user_operations AS o WHERE o.id = link.operation_id) AS flight ON true
  WHERE t.chain_id = o.chain_id AND t.state = 'pending' AND t.executor <> ${executor} AND ${isHeldBackBy('o')})`);

/** SQL condition: somebody can repeat the request for the operation, `o`. A cancellation counts as such: it calls nothing. */
export const CAN_BE_REPEATED = `(o.kind = 'cancellation' OR EXISTS (
  SELECT FROM account_kit.idempotency_keys AS k WHERE k.operation_id = o.id))`;

/** A freeze that operators end within this time cancels nothing. */
const MIN_FROZEN = `interval '1 minute'`;

/** SQL condition: nothing tries the operation any more, or not while its application is frozen, and it keeps its nonce. */
export const isGivenUp = (o: string): string =>
  `(${o}.reason IS NOT DISTINCT FROM '${LAPSED_REASON}' OR ${isApplicationFrozen(`${o}.client_id`)})`;

/**
 * SQL condition: the application of a refused request wants the nonce of the operation, which is given up. A request that was refused
 * before the operation lapsed, or during a freeze that has ended, wants nothing any more.
 */
export const isWanted = (o: string): string => `(
  (${isApplicationFrozen(`${o}.wanted_by`)}) IS NOT TRUE
  AND ((${o}.reason = '${LAPSED_REASON}' AND ${o}.wanted_at >= ${o}.accepted_at + ${MAX_TRIED}) OR EXISTS (
    SELECT FROM account_kit.freezes WHERE scope = 'application' AND subject = ${o}.client_id AND frozen_at <= ${o}.wanted_at)))`;

/** SQL of the operations of a lane that come after `o` and that something still tries, in any order, without those of frozen applications. */
const laterOperations = (o: string): string => `
  account_kit.user_operations AS later
  WHERE later.account_id = ${o}.account_id AND later.chain_id = ${o}.chain_id AND later.nonce_key = ${o}.nonce_key
    AND later.nonce_sequence > ${o}.nonce_sequence AND later.kind <> 'cancellation'
    AND later.state IN ('accepted', 'signed', 'submitted', 'stuck') AND later.reason IS DISTINCT FROM '${LAPSED_REASON}'
    AND (${isApplicationFrozen('later.client_id')}) IS NOT TRUE`;

/** SQL of an application and those whose operations wait behind the operation, which take its nonce if the first one may not. */
export const firstOf = (client: string, o: string): string => `(ARRAY[${client}] || ARRAY(
  SELECT later.client_id FROM ${laterOperations(o)} AND later.client_id <> ${client}
  GROUP BY later.client_id ORDER BY min(later.nonce_sequence)))`;

/**
 * SQL of the client applications that want the nonce of an operation which is given up, the one that has waited longest first: those whose
 * operations wait behind it, and the one of which an operation was refused because of it. Empty while nobody wants it, and for the first
 * minute of a freeze if only that is why.
 */
export const wantedBy = (o: string): string => `ARRAY(
  SELECT wanting.client_id FROM (
    SELECT later.client_id, later.accepted_at AS since FROM ${laterOperations(o)}
    UNION ALL SELECT ${o}.wanted_by, ${o}.wanted_at WHERE ${isWanted(o)}) AS wanting
  WHERE wanting.client_id IS NOT NULL
    AND (${o}.reason IS NOT DISTINCT FROM '${LAPSED_REASON}' OR EXISTS (
      SELECT FROM account_kit.freezes WHERE scope = 'application' AND subject = ${o}.client_id AND frozen_at <= now() - ${MIN_FROZEN}))
  GROUP BY wanting.client_id ORDER BY min(wanting.since))`;

/** SQL condition: the operation is in a state from which a block may still execute it. It is that of the partial indexes of turns. */
export const isUnfinished = (o: string): string =>
  `${o}.state IN ('accepted', 'signed', 'submitted', 'stuck')`;
