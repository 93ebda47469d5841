import { expect } from '@jest/globals';
import type pg from 'pg';
import type { Hex } from 'viem';
import { USER_OPERATION_EVENT } from '../../apps/account-kit/src/evm/operations/parse-user-operation-events.js';
import type { DeployedContract, LocalChain } from '../support/local-chain.js';

type ChainClient = LocalChain['client'];

/** No nonce of an account is used by two operations, and the rows say of each operation what the chain says. */
export async function checkNonces(pool: pg.Pool, client: ChainClient): Promise<void> {
  const logs = await client.getLogs({ event: USER_OPERATION_EVENT, fromBlock: 0n, strict: true });
  const slots = logs.map(({ args }) => `${args.sender} ${args.nonce}`);
  expect(new Set(slots).size).toBe(slots.length);
  const { rows } = await pool.query<{ hash: Hex; state: string }>(
    "SELECT hash, state FROM account_kit.user_operations WHERE state IN ('final', 'reverted')",
  );
  expect(rows.map(({ hash }) => hash).sort()).toEqual(logs.map(({ args }) => args.userOpHash).sort());
}

/** The counter of each payment says 1: it was neither lost nor made twice. */
export async function checkPayments(
  client: ChainClient,
  counter: DeployedContract,
  ids: readonly number[],
): Promise<void> {
  const counts = await Promise.all(
    ids.map((id) => client.readContract({ ...counter, functionName: 'counts', args: [BigInt(id)] })),
  );
  const wrong = counts.flatMap((count, index) =>
    count === 1n ? [] : [`payment ${ids[index]}: ${String(count)}`],
  );
  expect(wrong).toEqual([]);
}

/**
 * Checks what holds at every moment: what is used of a cap is what its reservations count, and never less than nothing.
 */
export async function checkUsage(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    `SELECT u.cap_key, u.subject, u.used, coalesce(sum(r.counted), 0) AS counted FROM account_kit.cap_usage AS u
     LEFT JOIN account_kit.cap_reservations AS r USING (client_id, cap_key, subject, period_start)
     GROUP BY u.client_id, u.cap_key, u.subject, u.period_start, u.used
     HAVING u.used <> coalesce(sum(r.counted), 0) OR u.used < 0`,
  );
  expect(rows).toEqual([]);
}

/**
 * Checks what holds when everything has ended: each operation counts once, for what it has used. An executor pays for a
 * cancellation without fees, which counts for what it was measured to cost; a cancellation at a bundler counts for what
 * its event says.
 */
export async function checkReservations(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    `SELECT r.operation_id, r.cap_key, r.counted, r.reserved, o.kind, o.state, o.actual_gas_cost FROM account_kit.cap_reservations AS r
     JOIN account_kit.user_operations AS o ON o.id = r.operation_id
     WHERE r.counted IS DISTINCT FROM CASE WHEN o.state IN ('rejected', 'expired') THEN 0
       WHEN r.is_gas AND o.max_fee_per_gas = 0 THEN r.reserved
       WHEN r.is_gas THEN o.actual_gas_cost WHEN o.success THEN r.reserved ELSE r.if_reverted END`,
  );
  expect(rows).toEqual([]);
  // Each operation reserves something of every cap that asks for it: of the gas of account and application. The test signs those with a sponsor.
  const unreserved = await pool.query(
    `SELECT o.id, o.kind, o.state FROM account_kit.user_operations AS o
     WHERE o.paymaster IS NULL AND 2 <> (SELECT count(*) FROM account_kit.cap_reservations AS r WHERE r.operation_id = o.id AND r.is_gas)`,
  );
  expect(unreserved.rows).toEqual([]);
}
