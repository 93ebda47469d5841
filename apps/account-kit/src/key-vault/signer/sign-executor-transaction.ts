import type { Address, Hex, PrivateKeyAccount } from 'viem';
import { entryPoint07Abi, entryPoint08Abi } from 'viem/account-abstraction';
import { decodeFunctionData } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import { RefusedToSignError } from './refused-to-sign.error.js';
import type { SignerRequest } from './signer-messages.js';

type ExecutorTransaction = Omit<Extract<SignerRequest, { type: 'signExecutorTransaction' }>, 'type'>;

const ABIS = { '0.7': entryPoint07Abi, '0.8': entryPoint08Abi } as const;
const VERSIONS = ['0.7', '0.8'] as const;

/**
 * Signs a transaction of an executor. An executor only ever sends bundles to an EntryPoint, which pays it for them.
 * @returns the raw transaction
 * @throws RefusedToSignError for any other call
 */
export function signExecutorTransaction(
  executors: ReadonlyMap<string, PrivateKeyAccount>,
  { executor, entryPoint, data, chainId, nonce, ...fees }: ExecutorTransaction,
): Promise<Hex> {
  const account = executors.get(executor);
  if (!account) throw new RefusedToSignError(`there is no key of the executor ${executor}`);
  const version = VERSIONS.find((one) => ACCOUNT_CONTRACTS[one].entryPoint === entryPoint);
  if (version === undefined) throw new RefusedToSignError(`${entryPoint} is no EntryPoint`);
  if (findBeneficiary(ABIS[version], data) !== account.address)
    throw new RefusedToSignError('executors send handleOps for their own benefit only');
  return account.signTransaction({
    type: 'eip1559',
    to: entryPoint,
    data,
    chainId,
    nonce,
    gas: BigInt(fees.gas),
    maxFeePerGas: BigInt(fees.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas),
  });
}

function findBeneficiary(abi: (typeof ABIS)['0.7' | '0.8'], data: Hex): Address | undefined {
  const { functionName, args } = decodeFunctionData({ abi, data });
  return functionName === 'handleOps' ? args[1] : undefined;
}
