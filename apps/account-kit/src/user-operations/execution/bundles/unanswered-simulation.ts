import { formatErrorReason } from '@app/common';
import { type Address, BaseError, type PublicClient } from 'viem';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../../../evm/accounts/account-contracts.js';
import { isMethodMissing } from '../../../evm/nodes/evm.errors.js';
import { encodeHandleOps } from '../../../evm/operations/user-operation.js';
import type { ClaimedOperation } from './claimed-operation.js';
import { type Simulation, simulateBundle, type SimulationState } from './simulate-bundle.js';

/** Nodes do not answer the simulation of a bundle, but they answer the simulation of an empty one: the reason is in the bundle. */
export class UnansweredSimulationError extends Error {
  constructor(
    /** Why the only operation of the bundle is not sent; metrics count operations by its beginning. */
    readonly reason: string,
    /** Whether the same bundle is answered without the transactions before it. */
    readonly isAnsweredAlone: boolean,
    cause: unknown,
  ) {
    super('nodes do not answer the simulation of a bundle', { cause });
  }
}

/**
 * Simulates a bundle.
 * @throws UnansweredSimulationError if the bundle itself is the reason that no node answers; other errors if nodes answer nothing
 */
export async function simulateAnswered(
  client: PublicClient,
  state: SimulationState,
  operations: readonly ClaimedOperation[],
): Promise<Simulation> {
  try {
    return await simulateBundle(client, state, operations);
  } catch (error) {
    const version = operations[0]?.version;
    if (version === undefined || isMethodMissing(error)) throw error;
    if (!(await isEmptyAnswered(client, state.executor, version))) throw error;
    const isAnsweredAlone =
      operations.length === 1 &&
      state.pending.length > 0 &&
      (await isAnswered(client, { ...state, pending: [] }, operations));
    throw new UnansweredSimulationError(
      `nodes do not answer its simulation: ${toReason(error)}`,
      isAnsweredAlone,
      error,
    );
  }
}

const isEmptyAnswered = (
  client: PublicClient,
  executor: Address,
  version: AccountVersion,
): Promise<boolean> =>
  client
    .call({
      account: executor,
      to: ACCOUNT_CONTRACTS[version].entryPoint,
      data: encodeHandleOps(version, [], executor),
    })
    .then(
      () => true,
      () => false,
    );

const isAnswered = (
  client: PublicClient,
  state: SimulationState,
  operations: readonly ClaimedOperation[],
): Promise<boolean> =>
  simulateBundle(client, state, operations).then(
    () => true,
    () => false,
  );

const MAX_REASON_LENGTH = 200;

/** viem's messages end with the URL and the request; `details` does not. */
const toReason = (error: unknown): string =>
  (error instanceof BaseError ? error.details : formatErrorReason(error)).slice(0, MAX_REASON_LENGTH);

/** Two halves of the lanes of a bundle; of a bundle of one lane the first operations, as the others are to come after them. */
export function halveBundle(
  bundle: readonly ClaimedOperation[],
): readonly [readonly ClaimedOperation[], readonly ClaimedOperation[]] {
  const lanes = [...new Set(bundle.map(({ lane }) => lane))];
  if (lanes.length === 1) {
    const half = Math.ceil(bundle.length / 2);
    return [bundle.slice(0, half), bundle.slice(half)];
  }
  const first = new Set(lanes.slice(0, Math.ceil(lanes.length / 2)));
  return [bundle.filter(({ lane }) => first.has(lane)), bundle.filter(({ lane }) => !first.has(lane))];
}
