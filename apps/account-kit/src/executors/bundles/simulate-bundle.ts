import { type Address, BaseError, ExecutionRevertedError, type Hex, type PublicClient } from 'viem';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../../evm/accounts/account-contracts.js';
import { decodeFailedOp, decodeFailedOpData, type FailedOp } from '../../evm/operations/decode-failed-op.js';
import { simulateCalls } from '../../evm/nodes/simulate-calls.js';
import { encodeHandleOps } from '../../evm/operations/encode-handle-ops.js';
import type { ClaimedOperation } from './claimed-operation.js';
import type { NewTransaction } from '../transactions/stored-transaction.js';
import { estimateBundleGas } from './estimate-bundle-gas.js';

interface FailedOperation {
  readonly id: string;
  readonly reason: string;
}

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
  /** Operations that wait for a failed one of their lane, or that were left out to find the failing one. */
  readonly waiting: readonly ClaimedOperation[];
}

/** A transaction of the executor that waits to be mined. */
export type PendingBundle = Pick<NewTransaction, 'entryPoint' | 'data' | 'gas'>;

/**
 * Executes the bundle on the newest state, and after the pending transactions if its operations follow theirs; without the operation that the EntryPoint refuses, until it accepts the rest.
 * Rejects if the node does not answer.
 */
export async function simulateBundle(
  client: PublicClient,
  executor: Address,
  claimed: readonly ClaimedOperation[],
  pending: readonly PendingBundle[],
): Promise<Simulation> {
  let operations = claimed;
  const failed: FailedOperation[] = [];
  const waiting: ClaimedOperation[] = [];
  for (let [first] = operations; first; [first] = operations) {
    const bundle = toBundle(first.version, operations, executor);
    const before = operations.some(({ followsPending }) => followsPending) ? pending : [];
    const failure = await findFailure(client, executor, bundle, before);
    if (!failure) return { bundle, failed, waiting };
    const refused = operations[failure.index];
    if (!refused) {
      // The contracts reverted without a name: try the first operation alone.
      waiting.push(...operations.slice(1));
      if (operations.length === 1) failed.push({ id: first.id, reason: failure.reason });
      operations = operations.length === 1 ? [] : [first];
      continue;
    }
    failed.push({ id: refused.id, reason: failure.reason });
    const others = operations.filter((other) => other !== refused);
    waiting.push(...others.filter(({ lane }, index) => lane === refused.lane && index >= failure.index));
    operations = others.filter((other) => !waiting.includes(other));
  }
  return { bundle: undefined, failed, waiting };
}

function toBundle(
  version: AccountVersion,
  operations: readonly ClaimedOperation[],
  executor: Address,
): SimulatedBundle {
  const signed = operations.map(({ operation }) => operation);
  const data = encodeHandleOps(version, signed, executor);
  return { version, operations, data, gas: estimateBundleGas(signed, data) };
}

async function findFailure(
  client: PublicClient,
  executor: Address,
  { version, data, gas }: SimulatedBundle,
  pending: readonly PendingBundle[],
): Promise<FailedOp | undefined> {
  const { entryPoint } = ACCOUNT_CONTRACTS[version];
  if (pending.length > 0) return findFailureAfter(client, executor, [...pending, { entryPoint, data, gas }]);
  try {
    await client.call({ account: executor, to: entryPoint, data, gas });
    return undefined;
  } catch (error) {
    const failedOp = decodeFailedOp(error);
    if (failedOp) return failedOp;
    if (isRevert(error)) return UNNAMED_FAILURE;
    throw error;
  }
}

/** A block for each transaction: the gas limits of all may be above a block's. */
async function findFailureAfter(
  client: PublicClient,
  from: Address,
  transactions: readonly PendingBundle[],
): Promise<FailedOp | undefined> {
  const { isSuccess, data } = await simulateCalls(
    client,
    transactions.map((one) => [{ from, to: one.entryPoint, data: one.data, gas: one.gas }]),
  );
  return isSuccess ? undefined : (decodeFailedOpData(data) ?? UNNAMED_FAILURE);
}

const UNNAMED_FAILURE: FailedOp = { index: -1, reason: 'the EntryPoint reverted' };

const isRevert = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError) !== null;
