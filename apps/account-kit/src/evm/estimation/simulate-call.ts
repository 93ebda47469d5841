import { conflict } from '@app/common';
import { type Address, BaseError, ExecutionRevertedError, type Hex, type PublicClient } from 'viem';
import { getContractAddress } from 'viem/utils';
import { ACCOUNT_SALT, encodeCreateAccount } from '../accounts/account-address.js';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../accounts/account-contracts.js';
import { isMethodMissing } from '../nodes/evm.errors.js';
import { simulateCalls } from '../nodes/simulate-calls.js';

/** What the simulation of an account's next call depends on. */
interface SimulationRequest {
  readonly owner: Address;
  readonly sender: Address;
  readonly version: AccountVersion;
  readonly isDeployed: boolean;
  /** Call data of the operations before it in its lane, oldest first. */
  readonly pending: readonly Hex[];
  readonly callData: Hex;
}

/**
 * The gas of a call that cannot be simulated: the node has no `eth_simulateV1`, and the account has no code or earlier
 * operations are unfinished.
 */
const DEFAULT_CALL_GAS = 500_000n;

const wouldRevert = (data: Hex) =>
  conflict('would_revert', 'The operation would revert: `details.data` is what the call returned.', { data });

/**
 * Runs the call as the EntryPoint would, after the unfinished operations of its lane.
 * @returns gas used, with the 21,000 of a transaction
 * @throws AppError 409 `would_revert` with the returned data
 */
export async function simulateCall(client: PublicClient, request: SimulationRequest): Promise<bigint> {
  try {
    return await simulateAfterPending(client, request);
  } catch (error) {
    if (!isMethodMissing(error)) throw error;
    return estimateAlone(client, request);
  }
}

async function simulateAfterPending(client: PublicClient, request: SimulationRequest): Promise<bigint> {
  const { owner, sender, version, isDeployed, pending, callData } = request;
  const { entryPoint } = ACCOUNT_CONTRACTS[version];
  const { isSuccess, data, gasUsed } = await simulateCalls(client, [
    [
      ...(isDeployed ? [] : [toDeployment(owner, version)]),
      ...[...pending, callData].map((call) => ({ from: entryPoint, to: sender, data: call })),
    ],
  ]);
  if (!isSuccess) throw wouldRevert(data);
  return gasUsed;
}

function toDeployment(owner: Address, version: AccountVersion) {
  const { factory, factoryData } = encodeCreateAccount({ owner, salt: ACCOUNT_SALT, version });
  // The factory of 0.8 accepts only calls of this helper, which the constructor of the EntryPoint deployed.
  const { entryPoint } = ACCOUNT_CONTRACTS[version];
  const senderCreator = getContractAddress({ opcode: 'CREATE', from: entryPoint, nonce: 1n });
  return { from: senderCreator, to: factory, data: factoryData };
}

async function estimateAlone(client: PublicClient, request: SimulationRequest): Promise<bigint> {
  const { sender, version, isDeployed, pending, callData } = request;
  if (!isDeployed || pending.length > 0) return DEFAULT_CALL_GAS;
  const { entryPoint } = ACCOUNT_CONTRACTS[version];
  try {
    return await client.estimateGas({ account: entryPoint, to: sender, data: callData });
  } catch (error) {
    if (error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError))
      throw wouldRevert('0x');
    throw error;
  }
}
