import {
  type Address,
  BaseError,
  ExecutionRevertedError,
  type Hex,
  type PublicClient,
  RpcRequestError,
} from 'viem';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../../../evm/accounts/account-contracts.js';
import { isMethodMissing } from '../../../evm/nodes/evm.errors.js';
import {
  type SimulatedCall,
  simulateBlocks,
  type SimulatedResult,
} from '../../../evm/nodes/simulate-calls.js';
import {
  decodeFailedOp,
  decodeFailedOpData,
  type FailedOp,
} from '../../../evm/operations/decode-failed-op.js';
import { encodeHandleOps } from '../../../evm/operations/user-operation.js';
import type { NewTransaction } from '../transactions/stored-transaction.js';
import type { ClaimedOperation } from './claimed-operation.js';
import { estimateBundleGas } from './estimate-bundle-gas.js';
import type { FailedOperation } from '../operation-queue.queries.js';

export interface SimulatedBundle {
  readonly version: AccountVersion;
  readonly operations: readonly ClaimedOperation[];
  readonly data: Hex;
  readonly gas: bigint;
}

export interface Simulation {
  /** Unset if every operation failed. */
  readonly bundle: SimulatedBundle | undefined;
  readonly failed: readonly FailedOperation[];
  /** Operations that are in no bundle without a fault of their own, such as those after a failed one of their lane. */
  readonly waiting: readonly ClaimedOperation[];
}

/** A transaction of the executor. */
type ExecutorCall = Pick<NewTransaction, 'entryPoint' | 'data' | 'gas'>;

/** A transaction of the executor that waits to be mined. */
export interface PendingBundle extends ExecutorCall {
  /** The most that the bundle's gas may cost, in wei. */
  readonly maxCost: bigint;
  /**
   * Whether the transaction is executed before later ones for sure: not where nodes refuse it, or an empty variant may
   * take its nonce.
   */
  readonly isCertain: boolean;
}

/** The state on which a bundle is simulated, and the executor that sends it. */
export interface SimulationState {
  readonly executor: Address;
  /** Transactions of the executor that are executed before this one. */
  readonly pending: readonly ExecutorCall[];
  /** What a unit of gas may cost when the pending transactions are mined: operations in them pay by it. */
  readonly maxFeePerGas: bigint;
}

/**
 * Executes the bundle on the newest state, and after the pending transactions if an account or paymaster of it is in them. If that fails,
 * the operations are tried one after another in one request, so that the number of failing ones makes no difference.
 * Rejects if the node does not answer.
 */
export async function simulateBundle(
  client: PublicClient,
  state: SimulationState,
  claimed: readonly ClaimedOperation[],
): Promise<Simulation> {
  let operations = claimed;
  let isProbed = false;
  const failed: FailedOperation[] = [];
  const waiting: ClaimedOperation[] = [];
  for (let [first] = operations; first; [first] = operations) {
    const bundle = toBundle(first.version, operations, state.executor);
    const before = operations.some(({ followsPending }) => followsPending) ? state.pending : [];
    const failure = await findFailure(client, bundle, { ...state, pending: before });
    if (!failure) return { bundle, failed, waiting };
    if (operations.length === 1)
      return { bundle: undefined, failed: [...failed, { id: first.id, reason: failure.reason }], waiting };
    const results: Probed | undefined = isProbed
      ? undefined
      : await probe(client, operations, { ...state, pending: before });
    const rest = results
      ? leaveOut(operations, results, failure)
      : leaveOutOne(operations, failure, isProbed);
    isProbed ||= results !== undefined;
    failed.push(...rest.failed);
    waiting.push(...rest.waiting);
    operations = rest.operations;
  }
  return { bundle: undefined, failed, waiting };
}

const MAX_REASON_LENGTH = 200;

/** Why each operation fails alone; undefined for those that do not. */
type Probed = readonly (FailedOp | undefined)[];

interface Rest {
  readonly operations: readonly ClaimedOperation[];
  readonly failed: readonly FailedOperation[];
  readonly waiting: readonly ClaimedOperation[];
}

/** @param results of the operations one after another @param failure of the bundle */
function leaveOut(operations: readonly ClaimedOperation[], results: Probed, failure: FailedOp): Rest {
  const rest = {
    operations: [] as ClaimedOperation[],
    failed: [] as FailedOperation[],
    waiting: [] as ClaimedOperation[],
  };
  const blockedLanes = new Set<string>();
  const changedAccounts = new Set<string>();
  for (const [index, operation] of operations.entries()) {
    const reason = results[index]?.reason;
    const { id, lane, accountId } = operation;
    if (blockedLanes.has(lane)) rest.waiting.push(operation);
    else if (reason === undefined) rest.operations.push(operation);
    // The account has executed an earlier one meanwhile, which it does in a bundle only after the validation of all.
    else if (changedAccounts.has(accountId)) rest.waiting.push(operation);
    else rest.failed.push({ id, reason });
    if (reason !== undefined) blockedLanes.add(lane);
    else changedAccounts.add(accountId);
  }
  return rest.failed.length === 0 && rest.waiting.length === 0
    ? leaveOutOne(operations, failure, true)
    : rest;
}

/** @param isProbed each of them succeeds alone, so a named one is not at fault, such as where a paymaster cannot pay for all */
function leaveOutOne(operations: readonly ClaimedOperation[], failure: FailedOp, isProbed: boolean): Rest {
  const refused = operations[failure.index];
  if (!refused) return keepFirst(operations, Math.floor(operations.length / 2));
  // The EntryPoint validates in order, so it has accepted those before the named one.
  if (isProbed && failure.index > 0) return keepFirst(operations, failure.index);
  const others = operations.filter((other) => other !== refused);
  const waiting = others.filter(({ lane }, index) => lane === refused.lane && index >= failure.index);
  return {
    operations: others.filter((other) => !waiting.includes(other)),
    failed: [{ id: refused.id, reason: failure.reason }],
    waiting,
  };
}

const keepFirst = (operations: readonly ClaimedOperation[], count: number): Rest => ({
  operations: operations.slice(0, count),
  failed: [],
  waiting: operations.slice(count),
});

function toBundle(
  version: AccountVersion,
  operations: readonly ClaimedOperation[],
  executor: Address,
): SimulatedBundle {
  const signed = operations.map(({ operation }) => operation);
  const data = encodeHandleOps(version, signed, executor);
  return { version, operations, data, gas: estimateBundleGas(signed, data) };
}

const toTransaction = ({ version, data, gas }: SimulatedBundle): ExecutorCall => ({
  entryPoint: ACCOUNT_CONTRACTS[version].entryPoint,
  data,
  gas,
});

async function findFailure(
  client: PublicClient,
  bundle: SimulatedBundle,
  state: SimulationState,
): Promise<FailedOp | undefined> {
  const transaction = toTransaction(bundle);
  try {
    if (state.pending.length > 0) {
      const results = await simulateTransactions(client, [...state.pending, transaction], state);
      return toFailure(results.at(-1));
    }
    const { entryPoint: to, data, gas } = transaction;
    await client.call({ account: state.executor, to, data, gas });
    return undefined;
  } catch (error) {
    return toFailureOfCall(error);
  }
}

/**
 * Executes each operation as a transaction of its own, after the ones before it.
 * @returns why each of them failed; undefined if the node cannot do this
 */
async function probe(
  client: PublicClient,
  operations: readonly ClaimedOperation[],
  state: SimulationState,
): Promise<Probed | undefined> {
  const single = operations.map((one) => toTransaction(toBundle(one.version, [one], state.executor)));
  try {
    const results = await simulateTransactions(client, [...state.pending, ...single], state);
    return results.slice(state.pending.length).map(toFailure);
  } catch (error) {
    if (!isMethodMissing(error)) toFailureOfCall(error);
    return undefined;
  }
}

/** Executes transactions of the executor. Each has a block of its own: the gas limits of all may be above a block's. */
const simulateTransactions = (
  client: PublicClient,
  transactions: readonly ExecutorCall[],
  { executor: from, maxFeePerGas }: SimulationState,
): Promise<SimulatedResult[]> =>
  simulateBlocks(
    client,
    transactions.map(({ entryPoint: to, data, gas }): SimulatedCall[] => [{ from, to, data, gas }]),
    { baseFeePerGas: maxFeePerGas },
  );

const UNNAMED_FAILURE: FailedOp = { index: -1, reason: 'the EntryPoint reverted' };

const toFailure = (result: SimulatedResult | undefined): FailedOp | undefined =>
  result?.isSuccess === true ? undefined : ((result && decodeFailedOpData(result.data)) ?? UNNAMED_FAILURE);

/** Codes of JSON-RPC nodes for calls that they do not execute to their end, for instance because of gas or time. */
const EXECUTION_CODES: readonly number[] = [-32_000, -32_003, -32_015];

/** @throws the error, if it says nothing about the call */
function toFailureOfCall(error: unknown): FailedOp {
  const failedOp = decodeFailedOp(error);
  if (failedOp) return failedOp;
  if (!(error instanceof BaseError)) throw error;
  if (error.walk((cause) => cause instanceof ExecutionRevertedError)) return UNNAMED_FAILURE;
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  if (!(answer instanceof RpcRequestError) || !EXECUTION_CODES.includes(answer.code)) throw error;
  return { index: -1, reason: `nodes do not simulate it: ${answer.details.slice(0, MAX_REASON_LENGTH)}` };
}
