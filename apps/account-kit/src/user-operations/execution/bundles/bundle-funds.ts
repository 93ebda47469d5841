import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Address, PublicClient } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../../../evm/accounts/account-contracts.js';
import { loadAccountState } from '../../../evm/estimation/load-account-state.js';
import { toMaxGasCost, unpackNonce } from '../../../evm/operations/user-operation.js';
import { type FailedOperation, type FlightCost, loadFlightCosts } from '../operation-queue.queries.js';
import type { ClaimedOperation } from './claimed-operation.js';

interface CoveredOperations {
  readonly covered: readonly ClaimedOperation[];
  /** Their payers have too little for the worst case of all that is in flight. */
  readonly held: readonly FailedOperation[];
  /** Later operations of the lanes of held operations. */
  readonly waiting: readonly ClaimedOperation[];
}

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
    const flight = await loadFlightCosts(this.database, chainId, {
      paymasters: asked.flatMap(({ operation }) => operation.paymaster ?? []),
      accountIds: asked.map(({ accountId }) => accountId),
    });
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
}

const toPayer = ({ version, accountId, operation: { paymaster } }: ClaimedOperation): string =>
  paymaster === undefined ? accountId : `${version} ${paymaster}`;

/** Coins of a payer beyond the worst case of all that is in flight, in wei. */
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
