import type { Hex, Log, PublicClient } from 'viem';
import { hexToBigInt, slice, toEventSelector } from 'viem/utils';
import { USER_OPERATION_EVENT } from '../../../evm/operations/parse-user-operation-events.js';
import type { MinedTransaction } from './stored-transaction.js';

/** What nodes have to agree about before a transaction is settled. */
export interface MinedOutcome extends Pick<MinedTransaction, 'transactionHash'> {
  readonly isReverted: boolean;
}

interface ExecutedTransaction extends MinedTransaction, MinedOutcome {
  /** What the executor paid, in wei. */
  readonly cost: bigint;
  /** What the operations paid to the executor, in wei. */
  readonly reimbursed: bigint;
}

const EVENT_TOPIC = toEventSelector(USER_OPERATION_EVENT);
/** `nonce`, `success`, `actualGasCost`, `actualGasUsed`. */
const GAS_COST = { start: 64, end: 96 };

/** The variant that was mined. Its logs are many, so nothing is decoded but what the operations paid. */
export async function findMined(
  client: PublicClient,
  hashes: readonly Hex[],
): Promise<ExecutedTransaction | undefined> {
  for (const hash of hashes.toReversed()) {
    const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    if (!receipt) continue;
    const { transactionHash, blockNumber, status, gasUsed, effectiveGasPrice, logs, to } = receipt;
    const payments = logs.filter(
      ({ address, topics }) => address.toLowerCase() === to?.toLowerCase() && topics[0] === EVENT_TOPIC,
    );
    return {
      transactionHash,
      blockNumber: hexToBigInt(blockNumber),
      isReverted: status === '0x0',
      cost: hexToBigInt(gasUsed) * hexToBigInt(effectiveGasPrice),
      reimbursed: payments.reduce((sum, log) => sum + readGasCost(log), 0n),
    };
  }
  return undefined;
}

const readGasCost = ({ data }: Pick<Log, 'data'>): bigint =>
  hexToBigInt(slice(data, GAS_COST.start, GAS_COST.end));
