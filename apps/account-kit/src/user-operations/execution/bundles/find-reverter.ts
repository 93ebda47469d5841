import type { Address, PublicClient } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { decodeFunctionData } from 'viem/utils';
import {
  decodeFailedOp,
  decodeFailedOpData,
  type FailedOp,
} from '../../../evm/operations/decode-failed-op.js';
import { simulateBlocks } from '../../../evm/nodes/simulate-calls.js';
import { unpackNonce } from '../../../evm/operations/user-operation.js';
import type { ExecutedTransaction } from '../transactions/stored-transaction.js';

/** The operation by which a bundle reverted on the chain. */
export interface Reverter {
  readonly sender: Address;
  readonly nonce: ReturnType<typeof unpackNonce>;
  readonly reason: string;
}

/**
 * Executes a reverted bundle once more, on the state before its block and after the transactions of its executor in that block.
 * @param executed the executor's transactions of the block up to the reverted one
 * @returns undefined if the EntryPoint names no operation, for instance because a transaction of somebody else was at fault
 * @throws if the node does not answer, or does not have the state any more
 */
export async function findReverter(
  client: PublicClient,
  executed: readonly ExecutedTransaction[],
  blockNumber: bigint,
): Promise<Reverter | undefined> {
  const reverted = executed.at(-1);
  if (!reverted) return undefined;
  const failure = await findFailure(client, executed, reverted, blockNumber - 1n);
  if (!failure) return undefined;
  // The ABI of either version will do: both have the same handleOps.
  const { functionName, args } = decodeFunctionData({ abi: entryPoint08Abi, data: reverted.data });
  const operation = functionName === 'handleOps' ? args[0][failure.index] : undefined;
  return (
    operation && { sender: operation.sender, nonce: unpackNonce(operation.nonce), reason: failure.reason }
  );
}

async function findFailure(
  client: PublicClient,
  executed: readonly ExecutedTransaction[],
  { executor: account, entryPoint: to, data, gas }: ExecutedTransaction,
  blockNumber: bigint,
): Promise<FailedOp | undefined> {
  if (executed.length > 1) {
    const blocks = executed.map((one) => [
      { from: one.executor, to: one.entryPoint, data: one.data, gas: one.gas },
    ]);
    const { baseFeePerGas } = await client.getBlock({ blockNumber: blockNumber + 1n });
    const options = { blockNumber, baseFeePerGas: baseFeePerGas ?? 0n };
    const last = (await simulateBlocks(client, blocks, options)).at(-1);
    return last && !last.isSuccess ? decodeFailedOpData(last.data) : undefined;
  }
  try {
    await client.call({ account, to, data, gas, blockNumber });
    return undefined;
  } catch (error) {
    const failedOp = decodeFailedOp(error);
    if (!failedOp) throw error;
    return failedOp;
  }
}
