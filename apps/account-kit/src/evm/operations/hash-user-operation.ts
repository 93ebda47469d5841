import type { Hex } from 'viem';
import { getUserOperationHash } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../accounts/account-contracts.js';
import type { UserOperationFields } from './user-operation.js';

/** The hash by which the EntryPoint names an operation. It does not depend on the signature. */
export function hashUserOperation(
  version: AccountVersion,
  chainId: number,
  operation: UserOperationFields,
): Hex {
  return getUserOperationHash({
    chainId,
    entryPointAddress: ACCOUNT_CONTRACTS[version].entryPoint,
    entryPointVersion: version,
    userOperation: { ...operation, signature: '0x' },
  });
}
