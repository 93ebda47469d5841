import type { Address, PublicClient } from 'viem';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';
import type { ChainLease } from '../chain-lease.repository.js';
import type { FeeLimitSettings, TransactionFees } from '../transactions/transaction-fees.js';
import type { BundleLimits } from './bundle-limits.js';
import type { ClaimedOperation } from './claimed-operation.js';
import type { PendingBundle } from './simulate-bundle.js';

/** Transactions of one executor that wait to be mined, and their gas limits in sum: nodes bound what one simulation may use. */
export const MAX_PENDING = 8;
const MAX_PENDING_GAS = 80_000_000n;
/** Gas limit of a transaction with one payment of an account that is deployed. */
const LEAST_TRANSACTION_GAS = 250_000n;

export const toExecutor = ({ name }: ChainLease): Address => name as Address;

/** The chain on which an executor sends, and what it needs there. */
export interface SendingChain {
  readonly client: PublicClient;
  /** A client of all nodes of the chain, or of its private relay. */
  readonly sender: PublicClient;
  readonly lease: ChainLease;
  /** Renews the lease. Resolves with false if another instance has it. */
  readonly holdLease: () => Promise<boolean>;
  readonly pinNode: () => Promise<ChainNode>;
}

/** The limits and prices that the bundles of one claim share. */
export interface SendingRound extends SendingChain {
  /** Bounds of a transaction with several operations. */
  readonly limits: BundleLimits;
  readonly flight: Flight;
  /** What a unit of gas may cost when the transactions are mined. */
  readonly current: TransactionFees;
  readonly baseFee: bigint;
  /** Coins of the executor, in wei. */
  readonly balance: bigint;
}

/** Transactions of the executor that wait to be mined. */
export interface Flight {
  readonly pending: PendingBundle[];
  /** Accounts and paymasters of the transactions that were sent since the last claim began. */
  readonly payers: Set<string>;
  /** Whether an operation was found whose simulation no node answers. */
  hasUnanswered: boolean;
}

/** The accounts and contracts on whose balances an operation depends. */
export const toPayers = ({ accountId, operation: { paymaster } }: ClaimedOperation): string[] => [
  accountId,
  ...(paymaster === undefined ? [] : [paymaster]),
];

/** Operations share a transaction as far as its fee stays below the cap of nodes, also when its fees are raised to those of now. */
export function limitByFee(
  limits: BundleLimits,
  { maxFeePerGas }: TransactionFees,
  { feeCap }: FeeLimitSettings,
): BundleLimits {
  const maxGas = maxFeePerGas === 0n ? limits.maxGas : feeCap / maxFeePerGas;
  return maxGas < limits.maxGas ? { ...limits, maxGas } : limits;
}

/** Coins of the executor beyond the worst case of all its transactions that wait, in wei. */
export function toCoinsLeft({ flight, balance }: Pick<SendingRound, 'flight' | 'balance'>): bigint {
  const left = flight.pending.reduce((rest, { maxCost }) => rest - maxCost, balance);
  return left > 0n ? left : 0n;
}

/** Whether the coins of an executor are enough for a transaction with one operation. */
export const canPayLeast = (round: SendingRound): boolean =>
  LEAST_TRANSACTION_GAS * round.current.maxFeePerGas <= toCoinsLeft(round);

export function limitByCoins(round: SendingRound): BundleLimits {
  const { limits, current } = round;
  if (current.maxFeePerGas === 0n) return limits;
  const maxGas = toCoinsLeft(round) / current.maxFeePerGas;
  return maxGas < limits.maxGas ? { ...limits, maxGas } : limits;
}

export function hasRoom(pending: readonly PendingBundle[], max = MAX_PENDING): boolean {
  const gas = pending.reduce((sum, transaction) => sum + transaction.gas, 0n);
  return pending.length < max && gas < MAX_PENDING_GAS;
}
