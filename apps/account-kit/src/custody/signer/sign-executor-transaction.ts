import type { Address, Hex } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { getAbiItem, getAddress, size, slice, toFunctionSelector } from 'viem/utils';
import { EMPTY_TRANSACTION_GAS, MAX_TRANSACTION_GAS } from '../../evm/estimation/gas-costs.js';
import { encodeHandleOps } from '../../evm/operations/user-operation.js';
import type { FeeCeilings } from '../../evm/estimation/fee-ceilings.config.js';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import type { EvmKey } from '../create-evm-key.js';
import { RefusedToSignError } from '../key-vault.errors.js';
import type { SignerRequest } from './signer-messages.js';

type ExecutorTransaction = Omit<Extract<SignerRequest, { type: 'signExecutorTransaction' }>, 'type'>;

const ENTRY_POINTS: readonly string[] = Object.values(ACCOUNT_CONTRACTS).map(({ entryPoint }) => entryPoint);
/** The selector of handleOps, which both EntryPoints have with the same arguments. */
const HANDLE_OPS = toFunctionSelector(getAbiItem({ abi: entryPoint08Abi, name: 'handleOps' }));
/** Bytes of the second argument: after the selector and the position of the operations, in the low bytes of its word. */
const BENEFICIARY = { start: 4 + 32 + 12, end: 4 + 32 + 32 };

/** What signs for executors. */
export interface ExecutorSigning {
  readonly keys: ReadonlyMap<string, EvmKey>;
  readonly feeCeilings: FeeCeilings;
}

/**
 * Signs a transaction of an executor. An executor only ever sends bundles to an EntryPoint, which pays it for them.
 * @returns the raw transaction
 * @throws RefusedToSignError for any other call, and for more gas or a higher fee than a transaction may have
 */
export function signExecutorTransaction(
  { keys: executors, feeCeilings }: ExecutorSigning,
  { executor, entryPoint, data, chainId, nonce, ...fees }: ExecutorTransaction,
): Promise<Hex> {
  const account = executors.get(executor);
  if (!account) throw new RefusedToSignError(`there is no key of the executor ${executor}`);
  if (!ENTRY_POINTS.includes(entryPoint)) throw new RefusedToSignError(`${entryPoint} is no EntryPoint`);
  if (findBeneficiary(data) !== account.address)
    throw new RefusedToSignError('executors send handleOps for their own benefit only');
  const costs = {
    gas: BigInt(fees.gas),
    maxFeePerGas: BigInt(fees.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas),
  };
  const isEmpty = data.toLowerCase() === encodeHandleOps('0.8', [], account.address).toLowerCase();
  checkCosts(costs, { ceiling: feeCeilings(chainId), isEmpty });
  return account.signTransaction({ type: 'eip1559', to: entryPoint, data, chainId, nonce, ...costs });
}

/**
 * What a transaction may cost is bounded here, too, because the process that asks parses requests. A transaction without operations has to be
 * dearer than those whose nonce it takes, which may have been signed with a higher ceiling: it costs no more than a full one at the ceiling.
 */
function checkCosts(
  costs: Record<'gas' | 'maxFeePerGas' | 'maxPriorityFeePerGas', bigint>,
  { ceiling, isEmpty }: { readonly ceiling: bigint; readonly isEmpty: boolean },
): void {
  const { gas, maxFeePerGas, maxPriorityFeePerGas } = costs;
  const maxGas = isEmpty ? EMPTY_TRANSACTION_GAS : BigInt(MAX_TRANSACTION_GAS);
  if (gas > maxGas) throw new RefusedToSignError(`the transaction has the gas limit ${gas}, above ${maxGas}`);
  const maxFee = isEmpty ? (BigInt(MAX_TRANSACTION_GAS) * ceiling) / EMPTY_TRANSACTION_GAS : ceiling;
  if (maxFeePerGas > maxFee || maxPriorityFeePerGas > maxFeePerGas)
    throw new RefusedToSignError(
      `the transaction has fees of ${maxFeePerGas} wei and a tip of ${maxPriorityFeePerGas}, above ${maxFee} (MAX_FEE_PER_GAS)`,
    );
}

/** Reads what the EntryPoint reads: decoding all operations of a bundle takes milliseconds. */
function findBeneficiary(data: Hex): Address | undefined {
  if (size(data) < BENEFICIARY.end || slice(data, 0, 4) !== HANDLE_OPS) return undefined;
  return getAddress(slice(data, BENEFICIARY.start, BENEFICIARY.end));
}
