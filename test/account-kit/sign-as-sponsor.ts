import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  encodePaymasterData,
  hashForPaymaster,
  PAYMASTER_VERIFICATION_GAS,
} from '../../apps/account-kit/src/evm/operations/paymaster-data.js';
import type { UserOperationFields } from '../../apps/account-kit/src/evm/operations/user-operation.js';

/** The fields of a paymaster for an operation, whose other fields are what the sponsor signs, and the hash that it signs. */
export async function signAsSponsor(
  operation: UserOperationFields,
  {
    chainId,
    paymaster,
    validUntil,
    key,
  }: { chainId: number; paymaster: Address; validUntil: number; key: Hex },
) {
  const fields = {
    paymaster,
    paymasterVerificationGasLimit: PAYMASTER_VERIFICATION_GAS,
    paymasterPostOpGasLimit: 0n,
  };
  const hash = hashForPaymaster({ ...operation, ...fields }, { chainId, paymaster, validUntil });
  const signature = await privateKeyToAccount(key).signMessage({ message: { raw: hash } });
  return { hash, fields: { ...fields, paymasterData: encodePaymasterData(validUntil, signature) } };
}
