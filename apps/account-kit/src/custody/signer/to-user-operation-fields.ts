import { ACCOUNT_SALT } from '../../evm/accounts/account-address.js';
import { encodeCreateAccount } from '../../evm/accounts/encode-create-account.js';
import { packNonce, type UserOperationFields } from '../../evm/operations/user-operation.js';
import type { OperationToSign } from './load-operation-to-sign.js';

export function toUserOperationFields(row: OperationToSign): UserOperationFields {
  const { sender, callData, signerAddress: owner, version, paymaster } = row;
  return {
    sender,
    nonce: packNonce({ key: row.nonceKey, sequence: row.nonceSequence }),
    ...(row.deploysAccount ? encodeCreateAccount({ owner, salt: ACCOUNT_SALT, version }) : {}),
    callData,
    callGasLimit: row.callGasLimit,
    verificationGasLimit: row.verificationGasLimit,
    preVerificationGas: row.preVerificationGas,
    maxFeePerGas: row.maxFeePerGas,
    maxPriorityFeePerGas: row.maxPriorityFeePerGas,
    ...(paymaster === null
      ? {}
      : {
          paymaster,
          paymasterVerificationGasLimit: row.paymasterVerificationGasLimit ?? 0n,
          paymasterPostOpGasLimit: row.paymasterPostOpGasLimit ?? 0n,
          paymasterData: row.paymasterData ?? '0x',
        }),
  };
}
