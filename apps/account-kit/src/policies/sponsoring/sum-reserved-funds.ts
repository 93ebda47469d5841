import type { AccountVersion } from '../../evm/accounts/account-contracts.js';
import { decodeExecute } from '../../evm/operations/encode-execute.js';
import { type GasLimits, toMaxGasCost } from '../../evm/operations/user-operation.js';
import type { Hex } from 'viem';

/** An operation of the account that the chain does not show yet. */
interface ReservingOperation extends GasLimits {
  readonly nonceKey: bigint;
  readonly nonceSequence: bigint;
  readonly version: AccountVersion;
  readonly callData: Hex;
  readonly paymaster: string | null;
  readonly isGivenUp: boolean;
}

/**
 * The most that unfinished operations of an account may take from it before the next operation of a lane, in wei: gas, unless a sponsor pays,
 * and what the calls of other lanes send. An operation that is given up is expected to be cancelled. What the calls of its own lane send, the simulation of the next operation has sent before.
 * @param lane `nextSequence` is what the EntryPoint expects: earlier operations of the lane are paid
 */
export function sumReservedFunds(
  unfinished: readonly ReservingOperation[],
  lane: { readonly nonceKey: bigint; readonly nextSequence: bigint },
): bigint {
  return unfinished.reduce((sum, operation) => {
    const isOwnLane = operation.nonceKey === lane.nonceKey;
    if (operation.isGivenUp || (isOwnLane && operation.nonceSequence < lane.nextSequence)) return sum;
    const gas = operation.paymaster === null ? toMaxGasCost(operation) : 0n;
    return sum + gas + (isOwnLane ? 0n : sumValue(operation));
  }, 0n);
}

/** What the calls of an operation send, in wei. */
export const sumValue = ({ version, callData }: Pick<ReservingOperation, 'version' | 'callData'>): bigint =>
  decodeExecute(version, callData).reduce((sum, { value }) => sum + value, 0n);
