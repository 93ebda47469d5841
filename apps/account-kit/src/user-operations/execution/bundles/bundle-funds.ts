import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Address, PublicClient } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { z } from 'zod';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../../../evm/accounts/account-contracts.js';
import { loadAccountState } from '../../../evm/estimation/load-account-state.js';
import { toMaxGasCost, unpackNonce } from '../../../evm/operations/user-operation.js';
import { storedAddress as address, storedAmount as amount } from '../stored-values.js';
import type { ClaimedOperation } from './claimed-operation.js';
import type { FailedOperation } from './operation-claim.repository.js';

/** What the operations of one payer may cost that are in transactions which wait to be mined. */
const flightCost = z.object({
  version: z.enum(['0.7', '0.8']),
  paymaster: address.nullable(),
  accountId: z.string().nullable(),
  cost: amount,
});
type FlightCost = z.output<typeof flightCost>;

interface CoveredOperations {
  readonly covered: readonly ClaimedOperation[];
  /** Their payers have too little for the worst case of all that is in flight. */
  readonly held: readonly FailedOperation[];
  /** Later operations of the lanes of held operations. */
  readonly waiting: readonly ClaimedOperation[];
}

/** SQL like `toMaxGasCost`. */
const MAX_GAS_COST = `(o.call_gas_limit + o.verification_gas_limit + o.pre_verification_gas
  + coalesce(o.paymaster_verification_gas_limit, 0) + coalesce(o.paymaster_post_op_gas_limit, 0)) * o.max_fee_per_gas`;

/**
 * Leaves operations out of a bundle whose payer could not pay if everything that is in flight cost the most it can: transactions of other
 * executors may come first, and each block has another price. A bundle of which one operation is not paid for reverts as a whole.
 */
@Injectable()
export class BundleFunds {
  constructor(private readonly database: Database) {}

  async cover(
    client: PublicClient,
    chainId: number,
    operations: readonly ClaimedOperation[],
  ): Promise<CoveredOperations> {
    const asked = operations.filter((one) => one.operation.paymaster !== undefined || one.followsPending);
    if (asked.length === 0) return { covered: operations, held: [], waiting: [] };
    const flight = await this.loadFlightCosts(chainId, asked);
    const left = new Map<string, Promise<bigint>>();
    for (const one of asked)
      if (!left.has(toPayer(one))) left.set(toPayer(one), loadLeft(client, one, flight));
    await Promise.all(left.values());
    const covered: ClaimedOperation[] = [];
    const held: FailedOperation[] = [];
    const waiting: ClaimedOperation[] = [];
    const blockedLanes = new Set<string>();
    for (const operation of operations) {
      const payer = toPayer(operation);
      const funds = await left.get(payer);
      const cost = toMaxGasCost(operation.operation);
      if (blockedLanes.has(operation.lane)) waiting.push(operation);
      else if (funds === undefined || cost <= funds) {
        covered.push(operation);
        if (funds !== undefined) left.set(payer, Promise.resolve(funds - cost));
      } else {
        blockedLanes.add(operation.lane);
        held.push({ id: operation.id, reason: toReason(operation, cost, funds) });
      }
    }
    return { covered, held, waiting };
  }

  private async loadFlightCosts(
    chainId: number,
    operations: readonly ClaimedOperation[],
  ): Promise<readonly FlightCost[]> {
    const paymasters = operations.flatMap(({ operation }) => operation.paymaster ?? []);
    const rows = await this.database.query(
      `SELECT o.account_version AS version, o.paymaster,
         CASE WHEN o.paymaster IS NULL THEN o.account_id END AS "accountId", sum(${MAX_GAS_COST}) AS cost
       FROM account_kit.executor_transactions AS t
       JOIN account_kit.executor_transaction_operations AS link ON link.transaction_id = t.id
       JOIN account_kit.user_operations AS o ON o.id = link.operation_id
       WHERE t.chain_id = $1 AND t.state = 'pending'
         AND (o.paymaster = ANY($2::text[]) OR (o.paymaster IS NULL AND o.account_id = ANY($3::uuid[])))
       GROUP BY 1, 2, 3`,
      [chainId, paymasters, operations.map(({ accountId }) => accountId)],
    );
    return z.array(flightCost).parse(rows);
  }
}

const toPayer = ({ version, accountId, operation: { paymaster } }: ClaimedOperation): string =>
  paymaster === undefined ? accountId : `${version} ${paymaster}`;

/** What a payer has beyond the worst case of all that is in flight, in wei. */
async function loadLeft(
  client: PublicClient,
  { version, accountId, operation: { paymaster, sender, nonce } }: ClaimedOperation,
  flight: readonly FlightCost[],
): Promise<bigint> {
  const funds =
    paymaster === undefined
      ? (await loadAccountState(client, { sender, version, nonceKey: unpackNonce(nonce).key })).funds
      : await loadDeposit(client, version, paymaster);
  const costs = flight.filter((one) =>
    paymaster === undefined
      ? one.accountId === accountId
      : one.paymaster === paymaster && one.version === version,
  );
  const left = costs.reduce((rest, { cost }) => rest - cost, funds);
  return left > 0n ? left : 0n;
}

const loadDeposit = (client: PublicClient, version: AccountVersion, paymaster: Address): Promise<bigint> =>
  client.readContract({
    address: ACCOUNT_CONTRACTS[version].entryPoint,
    abi: entryPoint08Abi,
    functionName: 'balanceOf',
    args: [paymaster],
  });

/** Metrics count operations by the beginning of their reason. */
const toReason = ({ operation: { paymaster } }: ClaimedOperation, cost: bigint, left: bigint): string =>
  paymaster === undefined
    ? `funds in flight: its gas may cost ${cost} wei, and the account has ${left} beside what is in flight`
    : `deposit of the sponsor ${paymaster} is too low: its gas may cost ${cost} wei, and ${left} are left beside what is in flight`;
