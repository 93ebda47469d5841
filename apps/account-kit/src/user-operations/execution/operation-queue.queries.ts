import { HOUR_MS } from '@app/common';
import { queryRows, type Queryable, toStoredText } from '@app/database';
import { operationState } from '@app/dto';
import type { Address } from 'viem';
import { z } from 'zod';
import { isOperationFrozen } from '../../limits/is-frozen.js';
import { CLAIMED_COLUMNS, type ClaimedOperation, claimedOperation } from './bundles/claimed-operation.js';
import {
  IN_FLIGHT,
  isBehind,
  isCancelled,
  isDue,
  isHeld,
  isNot,
  isRepeat,
  isSharedWith,
  isWaiting,
  LAPSED_REASON,
  shownReason,
  UNANSWERED_BY_BUNDLER,
} from './operation-conditions.js';
import {
  storedAddress as address,
  storedAmount as amount,
  storedHash as hash,
} from './transactions/stored-transaction.js';

/*
 * Statements over user operations that wait: claims of those to be sent, turns of those to be looked at, and searches for those to be found in
 * blocks. Changes of states are in operation-state.repository.ts, what requests store and read in user-operations.queries.ts.
 */

/** Fresh operations of one claim, more than one bundle takes. */
const MAX_FRESH = 180;
/** Operations of one claim that were held, beside those for which fresh ones leave room. */
const MIN_HELD = 20;
/** Operations of one claim that have failed before. */
const MAX_REPEATS = 20;
/**
 * Operations stay claimed for longer than the simulation, signing and storing of a bundle take; those of an instance
 * that dies are due again then.
 */
const CLAIM_MS = 10_000;
/** The longest pause of an operation that fails its simulations. */
const MAX_PAUSE_MS = HOUR_MS;
/** 1 s, doubled twelve times, is more than an hour. */
const MAX_DOUBLINGS = 12;
/** An operation is `stuck` when it fails its simulation for the ninth time, after four minutes of pauses. It is still tried. */
const STUCK_AFTER_FAILURES = 8;

/** An operation, and why it is held or has failed. */
export interface FailedOperation {
  readonly id: string;
  readonly reason: string;
}

const idRows = z.array(z.object({ id: z.string() }));
const postponedRows = z.array(z.object({ id: z.string(), isChanged: z.boolean(), isStuck: z.boolean() }));

/**
 * Claims fresh operations, then those that were held, then those that have failed before. Of each kind the oldest lane of each client
 * application comes first, then the next one of each: an application with thousands delays no other one. An operation whose lane has an
 * earlier unfinished one comes with it, or waits for it. An account or a paymaster with an operation in a transaction of another executor
 * waits.
 * @param executor whose pending transactions a simulation can follow; without one, everything waits until they are mined
 */
export async function claimOperations(
  db: Queryable,
  chainId: number,
  executor: Address | undefined,
): Promise<ClaimedOperation[]> {
  const rows = await queryRows(
    db,
    `WITH in_flight AS MATERIALIZED (${IN_FLIGHT}), due AS (
           SELECT o.id, o.client_id, o.account_id, o.nonce_key, o.nonce_sequence, o.next_attempt_at, ${isRepeat('o')} AS is_repeat,
             ${isHeld('o')} AS is_held, min(o.accepted_at) OVER lane AS lane_since, min(o.next_attempt_at) OVER lane AS lane_due_since
           FROM account_kit.user_operations AS o
           WHERE o.chain_id = $1 AND ${isDue('o')} AND ${isNot(isCancelled('o'))} AND ${isNot(isBehind('o'))}
           WINDOW lane AS (PARTITION BY o.account_id, o.nonce_key)
         ), placed AS (
           SELECT *, row_number() OVER (PARTITION BY client_id, is_repeat, is_held ORDER BY
             CASE WHEN is_repeat THEN next_attempt_at WHEN is_held THEN lane_due_since ELSE lane_since END NULLS FIRST,
             lane_since, account_id, nonce_key, nonce_sequence) AS place
           FROM due
         ), waiting AS (
           SELECT *, min(place) OVER (PARTITION BY account_id, nonce_key, is_repeat, is_held) AS turn FROM placed
         ), fresh AS (
           SELECT id, turn, lane_since FROM waiting WHERE NOT is_repeat AND NOT is_held
           ORDER BY turn, lane_since, account_id, nonce_key, nonce_sequence LIMIT $3
         ), chosen AS (
           SELECT * FROM fresh
           UNION ALL
           (SELECT id, turn, lane_since FROM waiting WHERE is_held
            ORDER BY turn, lane_due_since, account_id, nonce_key, nonce_sequence LIMIT $6 + $3 - (SELECT count(*) FROM fresh))
           UNION ALL
           (SELECT id, turn, lane_since FROM waiting WHERE is_repeat ORDER BY turn, next_attempt_at NULLS FIRST, lane_since LIMIT $4)
         ), claimed AS (
           UPDATE account_kit.user_operations SET next_attempt_at = clock_timestamp() + $5 * interval '1 ms'
           FROM chosen WHERE user_operations.id = chosen.id RETURNING user_operations.*, chosen.turn, chosen.lane_since
         )
         SELECT ${CLAIMED_COLUMNS}, ${isRepeat('o')} AS is_repeat,
           EXISTS (SELECT FROM in_flight AS flight WHERE flight.is_followed AND ${isSharedWith('o')}) AS follows_pending
         FROM claimed AS o JOIN account_kit.smart_accounts AS a ON a.id = o.account_id
         ORDER BY is_repeat, ${isHeld('o')}, o.turn, o.lane_since, o.account_id, o.nonce_key, o.nonce_sequence`,
    [chainId, executor ?? null, MAX_FRESH, MAX_REPEATS, CLAIM_MS, MIN_HELD],
  );
  return z.array(claimedOperation).parse(rows);
}

/**
 * Extends the claim of operations whose simulation begins.
 * @returns the operations that may still be sent: not frozen and not cancelled since they were claimed
 */
export async function confirmClaims(db: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await queryRows(
    db,
    `UPDATE account_kit.user_operations AS o SET next_attempt_at = clock_timestamp() + $2 * interval '1 ms'
       WHERE o.id = ANY($1::uuid[]) AND o.state IN ('signed', 'stuck')
         AND NOT ${isOperationFrozen('o')} AND NOT ${isCancelled('o')}
       RETURNING o.id`,
    [ids, CLAIM_MS],
  );
  return new Set(idRows.parse(rows).map(({ id }) => id));
}

/** The chains of those of the operations that wait to be sent. */
export async function findChainsOfDue(db: Queryable, ids: readonly string[]): Promise<number[]> {
  const rows = await queryRows(
    db,
    `SELECT DISTINCT o.chain_id AS "chainId" FROM account_kit.user_operations AS o
       WHERE o.id = ANY($1::uuid[]) AND ${isWaiting('o')}`,
    [ids],
  );
  return z
    .array(z.object({ chainId: z.coerce.number().int() }))
    .parse(rows)
    .map(({ chainId }) => chainId);
}

/** Makes claimed operations that are in no bundle due again. */
export async function releaseClaims(db: Queryable, ids: readonly string[], delayMs: number): Promise<void> {
  await queryRows(
    db,
    `UPDATE account_kit.user_operations SET next_attempt_at = clock_timestamp() + $2 * interval '1 ms'
       WHERE id = ANY($1::uuid[]) AND state IN ('signed', 'stuck')`,
    [ids, delayMs],
  );
}

/** Keeps why operations cannot be sent at the moment. Nothing is wrong with them, so they are asked again after a fixed pause. */
export async function holdOperations(
  db: Queryable,
  held: readonly FailedOperation[],
  pauseMs: number,
): Promise<void> {
  await queryRows(
    db,
    `UPDATE account_kit.user_operations AS o
       SET hold_reason = given.reason, next_attempt_at = clock_timestamp() + $3 * interval '1 ms'
       FROM unnest($1::uuid[], $2::text[]) AS given(id, reason)
       WHERE o.id = given.id AND o.state IN ('signed', 'stuck')`,
    [held.map(({ id }) => id), held.map(({ reason }) => toStoredText(reason)), pauseMs],
  );
}

/**
 * Keeps why operations failed their simulation, and when they are tried again.
 * @param firstPauseMs the pause after the first failure
 * @returns for each whether its reason is another one than before, and whether it has failed for so long that it is stuck
 */
export async function postponeOperations(
  db: Queryable,
  failed: readonly FailedOperation[],
  firstPauseMs: number,
): Promise<z.output<typeof postponedRows>> {
  const rows = await queryRows(
    db,
    `UPDATE account_kit.user_operations AS o SET reason = given.reason, hold_reason = NULL,
           simulation_failures = o.simulation_failures + 1, next_attempt_at = clock_timestamp() + interval '1 ms' *
             least($4::int, $3::int * 2 ^ least(o.simulation_failures, $5::int))
         FROM (SELECT before.id, given.reason, before.reason IS DISTINCT FROM given.reason AS is_changed
           FROM unnest($1::uuid[], $2::text[]) AS given(id, reason)
           JOIN account_kit.user_operations AS before ON before.id = given.id ORDER BY before.id FOR UPDATE OF before) AS given
         WHERE o.id = given.id AND o.state IN ('signed', 'stuck')
         RETURNING o.id, given.is_changed AS "isChanged",
           o.state = 'signed' AND o.simulation_failures > $6 AS "isStuck"`,
    [
      failed.map(({ id }) => id),
      failed.map(({ reason }) => toStoredText(reason)),
      ...[firstPauseMs, MAX_PAUSE_MS, MAX_DOUBLINGS, STUCK_AFTER_FAILURES],
    ],
  );
  return postponedRows.parse(rows);
}

/** The highest cost of one payer's operations that are in transactions which wait to be mined. */
const flightCost = z.object({
  version: z.enum(['0.7', '0.8']),
  paymaster: address.nullable(),
  accountId: z.string().nullable(),
  cost: amount,
});
export type FlightCost = z.output<typeof flightCost>;

/** SQL like `toMaxGasCost`. */
const MAX_GAS_COST = `(o.call_gas_limit + o.verification_gas_limit + o.pre_verification_gas
  + coalesce(o.paymaster_verification_gas_limit, 0) + coalesce(o.paymaster_post_op_gas_limit, 0)) * o.max_fee_per_gas`;

/** The worst case of all transactions that wait to be mined, by payer. */
export async function loadFlightCosts(
  db: Queryable,
  chainId: number,
  {
    paymasters,
    accountIds,
  }: { readonly paymasters: readonly string[]; readonly accountIds: readonly string[] },
): Promise<readonly FlightCost[]> {
  const rows = await queryRows(
    db,
    `SELECT o.account_version AS version, o.paymaster,
         CASE WHEN o.paymaster IS NULL THEN o.account_id END AS "accountId", sum(${MAX_GAS_COST}) AS cost
       FROM account_kit.executor_transactions AS t
       JOIN account_kit.executor_transaction_operations AS link ON link.transaction_id = t.id
       JOIN account_kit.user_operations AS o ON o.id = link.operation_id
       WHERE t.chain_id = $1 AND t.state = 'pending'
         AND (o.paymaster = ANY($2::text[]) OR (o.paymaster IS NULL AND o.account_id = ANY($3::uuid[])))
       GROUP BY 1, 2, 3`,
    [chainId, paymasters, accountIds],
  );
  return z.array(flightCost).parse(rows);
}

const waitingCount = z.object({ chainId: z.int(), count: z.int(), reason: z.string() });

/** Counts operations that wait to be sent, by the beginning of their reason, and those that a bundler was sent and does not take. */
export async function countWaiting(db: Queryable): Promise<z.output<typeof waitingCount>[]> {
  const rows = await queryRows(
    db,
    `SELECT chain_id::int AS "chainId", count(*)::int AS count,
         CASE WHEN state = 'submitted' AND starts_with(reason, '${UNANSWERED_BY_BUNDLER}') THEN 'bundler_unavailable'
           WHEN state = 'submitted' THEN 'bundler_refused' WHEN reason LIKE 'fee too low%' THEN 'fee_too_low' WHEN reason LIKE 'fees too high%' THEN 'fees_too_high'
           WHEN reason LIKE 'too large%' THEN 'too_large' WHEN reason LIKE 'AA%' THEN 'simulation'
           WHEN reason LIKE 'refused%' THEN 'refused' WHEN reason LIKE 'executor without coins%' THEN 'executor_funds'
           WHEN reason LIKE 'nodes do not answer%' THEN 'unanswered' WHEN reason LIKE 'deposit of the sponsor%' THEN 'sponsor_funds'
           WHEN reason LIKE 'funds in flight%' THEN 'account_funds' ELSE 'other' END AS reason
       FROM (SELECT chain_id, state, ${shownReason('o')} AS reason FROM account_kit.user_operations AS o
         WHERE (state IN ('signed', 'stuck') AND (reason IS NOT NULL OR hold_reason IS NOT NULL))
           OR (state = 'submitted' AND reason IS NOT NULL)) AS waiting
       GROUP BY 1, 3`,
  );
  return z.array(waitingCount).parse(rows);
}

const oldestAge = z.object({ chainId: z.int(), state: operationState, seconds: z.number() });

/** The age of the oldest operation in each state before a block has it. */
export async function loadOldestAges(db: Queryable): Promise<z.output<typeof oldestAge>[]> {
  const rows = await queryRows(
    db,
    `SELECT chain_id::int AS "chainId", state, extract(epoch FROM now() - min(accepted_at))::float AS seconds
       FROM account_kit.user_operations WHERE state IN ('accepted', 'signed', 'submitted', 'stuck')
       GROUP BY chain_id, state`,
  );
  return z.array(oldestAge).parse(rows);
}

/** Operations in one look at the chain. Half of those that are searched for are the newest, and half take turns. */
const MAX_TRACKED = 1_000;
const MAX_FRESH_TRACKED = MAX_TRACKED / 2;
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const trackedOperation = z.object({
  id: z.string(),
  hash,
  version: z.enum(['0.7', '0.8']),
  state: operationState,
  firstBlock: amount,
  blockNumber: amount.nullable(),
  blockHash: hash.nullable(),
  success: z.boolean().nullable(),
  hasEnded: z.boolean(),
  wasAtBundler: z.boolean(),
});
/**
 * An operation that was submitted or found in a block, and is not final. `firstBlock` is not after its event; `hasEnded` says that it was in
 * transactions of executors, and that all of them are final or replaced; `wasAtBundler` that a bundler was sent it.
 */
export type TrackedOperation = z.output<typeof trackedOperation>;

/** A block with operations that are not final. */
const inclusionBlock = z.object({ number: amount, hash });
export type InclusionBlock = z.output<typeof inclusionBlock>;

const includedOperation = z.object({
  id: z.string(),
  hash,
  blockHash: hash,
  transactionHash: hash,
  success: z.boolean(),
  actualGasUsed: amount,
  actualGasCost: amount,
});
/** The record of an operation that a block has. */
export type IncludedOperation = z.output<typeof includedOperation>;

/**
 * Submitted operations that no block is known to have: the newest, and if there are more, some in the order of their ids, which come after
 * `afterId`. A thousand old operations of one tenant hide no operation of another one. What has lapsed is found by its nonce, as all that
 * cannot be sent.
 * @returns the operations, and the id after which the next turn goes on, unset if the list is complete
 */
export async function findUnexecuted(
  db: Queryable,
  chainId: number,
  afterId: string,
): Promise<{ operations: TrackedOperation[]; nextId: string | undefined }> {
  const condition = `o.state IN ('signed', 'submitted', 'stuck') AND first.block IS NOT NULL AND o.reason IS DISTINCT FROM $3`;
  const newest = { order: 'o.accepted_at DESC', limit: MAX_FRESH_TRACKED };
  const fresh = await findTracked(db, chainId, condition, [LAPSED_REASON], newest);
  if (fresh.length < MAX_FRESH_TRACKED) return { operations: fresh, nextId: undefined };
  const inTurn = { order: 'o.id', limit: MAX_TRACKED - MAX_FRESH_TRACKED };
  const page = await findTracked(db, chainId, `${condition} AND o.id > $4`, [LAPSED_REASON, afterId], inTurn);
  const ids = new Set(fresh.map(({ id }) => id));
  return {
    operations: [...fresh, ...page.filter(({ id }) => !ids.has(id))],
    nextId: page.length < inTurn.limit ? FIRST_ID : (page.at(-1)?.id ?? FIRST_ID),
  };
}

/** Included operations of blocks, oldest first. */
export async function findIncluded(
  db: Queryable,
  chainId: number,
  blocks: readonly InclusionBlock[],
): Promise<TrackedOperation[]> {
  if (blocks.length === 0) return [];
  const condition = `o.state = 'included' AND o.block_hash = ANY($3::text[])`;
  return findTracked(db, chainId, condition, [blocks.map((block) => block.hash)]);
}

async function findTracked(
  db: Queryable,
  chainId: number,
  condition: string,
  parameters: readonly unknown[],
  { order, limit } = { order: 'o.accepted_at', limit: MAX_TRACKED },
): Promise<TrackedOperation[]> {
  const rows = await queryRows(
    db,
    `SELECT o.id, o.hash, o.account_version AS version, o.state, o.success, coalesce(first.block, o.block_number) AS "firstBlock",
         o.block_number AS "blockNumber", o.block_hash AS "blockHash", coalesce(bundled.ended, false) AS "hasEnded",
         submission.operation_id IS NOT NULL AS "wasAtBundler"
       FROM account_kit.user_operations AS o
       CROSS JOIN LATERAL (
         SELECT min(t.first_block) AS block, bool_and(t.state IN ('final', 'replaced')) AS ended
         FROM account_kit.executor_transaction_operations AS link
         JOIN account_kit.executor_transactions AS t ON t.id = link.transaction_id
         WHERE link.operation_id = o.id) AS bundled
       LEFT JOIN account_kit.bundler_submissions AS submission ON submission.operation_id = o.id
       CROSS JOIN LATERAL (SELECT least(bundled.block, submission.first_block) AS block) AS first
       WHERE o.chain_id = $1 AND ${condition} ORDER BY ${order} LIMIT $2`,
    [chainId, limit, ...parameters],
  );
  return z.array(trackedOperation).parse(rows);
}

export async function hasIncluded(db: Queryable, chainId: number): Promise<boolean> {
  const rows = await queryRows(
    db,
    `SELECT FROM account_kit.user_operations WHERE chain_id = $1 AND state = 'included' LIMIT 1`,
    [chainId],
  );
  return rows.length > 0;
}

/** Blocks with operations that are not final, oldest first. */
export async function findInclusionBlocks(db: Queryable, chainId: number): Promise<InclusionBlock[]> {
  const rows = await queryRows(
    db,
    `SELECT block_number AS number, block_hash AS hash FROM account_kit.user_operations
       WHERE chain_id = $1 AND state = 'included' GROUP BY block_number, block_hash ORDER BY block_number LIMIT $2`,
    [chainId, MAX_TRACKED],
  );
  return z.array(inclusionBlock).parse(rows);
}

/** The records of included operations of blocks, oldest first. */
export async function findRecorded(
  db: Queryable,
  chainId: number,
  blocks: readonly InclusionBlock[],
): Promise<IncludedOperation[]> {
  if (blocks.length === 0) return [];
  const rows = await queryRows(
    db,
    `SELECT id, hash, block_hash AS "blockHash", transaction_hash AS "transactionHash", success,
         actual_gas_used AS "actualGasUsed", actual_gas_cost AS "actualGasCost"
       FROM account_kit.user_operations
       WHERE chain_id = $1 AND state = 'included' AND block_hash = ANY($2::text[]) ORDER BY accepted_at LIMIT $3`,
    [chainId, blocks.map((block) => block.hash), MAX_TRACKED],
  );
  return z.array(includedOperation).parse(rows);
}
