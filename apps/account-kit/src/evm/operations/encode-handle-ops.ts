import type { Address, Hex } from 'viem';
import { entryPoint07Abi, entryPoint08Abi, toPackedUserOperation } from 'viem/account-abstraction';
import { encodeFunctionData } from 'viem/utils';
import type { AccountVersion } from '../accounts/account-contracts.js';
import type { SignedUserOperation } from './user-operation.js';

/** Encodes the call of the EntryPoint that executes operations of one version. `beneficiary` gets the fees. */
export function encodeHandleOps(
  version: AccountVersion,
  operations: readonly SignedUserOperation[],
  beneficiary: Address,
): Hex {
  return encodeFunctionData({
    abi: version === '0.8' ? entryPoint08Abi : entryPoint07Abi,
    functionName: 'handleOps',
    args: [operations.map((operation) => toPackedUserOperation(operation)), beneficiary],
  });
}
