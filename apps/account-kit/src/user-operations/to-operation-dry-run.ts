import { toMaxGasCost } from '../evm/operations/to-max-gas-cost.js';
import type { OperationPlan } from './plan-operation.js';
import type { UserOperationDryRun } from './dry-run.dto.js';

/** Tells a plan that was judged and is not accepted. */
export function toOperationDryRun(
  { operation, value }: OperationPlan,
  caps: UserOperationDryRun['caps'],
): UserOperationDryRun {
  const { paymaster, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = operation;
  const maxGasCost = toMaxGasCost(operation);
  return {
    dryRun: true,
    chainId: operation.chainId,
    account: operation.sender,
    deploysAccount: operation.deploysAccount,
    paidBy: paymaster === undefined ? 'account' : 'sponsor',
    callGasLimit: String(operation.callGasLimit),
    verificationGasLimit: String(operation.verificationGasLimit),
    preVerificationGas: String(operation.preVerificationGas),
    paymasterVerificationGasLimit: paymasterVerificationGasLimit?.toString(),
    paymasterPostOpGasLimit: paymasterPostOpGasLimit?.toString(),
    maxFeePerGas: String(operation.maxFeePerGas),
    maxPriorityFeePerGas: String(operation.maxPriorityFeePerGas),
    maxGasCost: String(maxGasCost),
    maxAccountCost: String(paymaster === undefined ? value + maxGasCost : value),
    caps,
  };
}
