import type { Address, Hex } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { getAbiItem, getAddress, size, slice, toFunctionSelector } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import type { EvmKey } from '../create-evm-key.js';
import { RefusedToSignError } from './refused-to-sign.error.js';
import type { SignerRequest } from './signer-messages.js';

type ExecutorTransaction = Omit<Extract<SignerRequest, { type: 'signExecutorTransaction' }>, 'type'>;

const ENTRY_POINTS: readonly string[] = Object.values(ACCOUNT_CONTRACTS).map(({ entryPoint }) => entryPoint);
/** Both EntryPoints have it, with the same arguments. */
const HANDLE_OPS = toFunctionSelector(getAbiItem({ abi: entryPoint08Abi, name: 'handleOps' }));
/** Bytes of the second argument: after the selector and the position of the operations, in the low bytes of its word. */
const BENEFICIARY = { start: 4 + 32 + 12, end: 4 + 32 + 32 };

/**
 * Signs a transaction of an executor. An executor only ever sends bundles to an EntryPoint, which pays it for them.
 * @returns the raw transaction
 * @throws RefusedToSignError for any other call
 */
export function signExecutorTransaction(
  executors: ReadonlyMap<string, EvmKey>,
  { executor, entryPoint, data, chainId, nonce, ...fees }: ExecutorTransaction,
): Promise<Hex> {
  const account = executors.get(executor);
  if (!account) throw new RefusedToSignError(`there is no key of the executor ${executor}`);
  if (!ENTRY_POINTS.includes(entryPoint)) throw new RefusedToSignError(`${entryPoint} is no EntryPoint`);
  if (findBeneficiary(data) !== account.address)
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

/** Reads what the EntryPoint reads: decoding all operations of a bundle takes milliseconds. */
function findBeneficiary(data: Hex): Address | undefined {
  if (size(data) < BENEFICIARY.end || slice(data, 0, 4) !== HANDLE_OPS) return undefined;
  return getAddress(slice(data, BENEFICIARY.start, BENEFICIARY.end));
}
