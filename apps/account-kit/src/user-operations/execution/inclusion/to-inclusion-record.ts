import { toStoredText } from '@app/database';
import { BaseError, type Hex, type Log, type PublicClient } from 'viem';
import { decodeErrorResult, parseAbi } from 'viem/utils';
import { RpcNodeError } from '@app/chain/json-rpc';
import type { TransactionReceipt } from 'viem';
import { ACCOUNT_CONTRACTS } from '../../../evm/accounts/account-contracts.js';
import {
  parseUserOperationEvents,
  type UserOperationResult,
} from '../../../evm/operations/parse-user-operation-events.js';

/** Longer logs are not stored: an operation can emit thousands of events. */
const MAX_STORED_LOG_CHARACTERS = 512_000;
const MAX_REASON_LENGTH = 200;

/** The event of the operation, as the node found it. */
export interface InclusionEvent {
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly success: boolean;
  readonly actualGasUsed: bigint;
  readonly actualGasCost: bigint;
}

export interface InclusionRecord extends InclusionEvent {
  /** Why the call of the account reverted. */
  readonly reason: string | null;
  /** Numbers are decimal text. Null if the node's receipt is too large to read. */
  readonly receipt: { readonly receipt: object; readonly logs: readonly object[] } | null;
}

interface LoadedReceipt {
  readonly receipt: TransactionReceipt;
  /** The operations of both EntryPoints, by hash. */
  readonly results: ReadonlyMap<Hex, UserOperationResult>;
}

/** Undefined for a receipt that is too large to read. */
type ReceiptLoader = (hash: Hex) => Promise<LoadedReceipt | undefined>;

/** Loads and decodes each receipt once: all operations of a bundle have the same one. For one look at the chain, which may reorganise. */
export function createReceiptLoader(client: PublicClient): ReceiptLoader {
  const receipts = new Map<Hex, ReturnType<ReceiptLoader>>();
  return (hash) => {
    const receipt = receipts.get(hash) ?? loadReceipt(client, hash);
    receipts.set(hash, receipt);
    return receipt;
  };
}

/** Adds what only the receipt of the transaction says. Rejects if the node does not answer. */
export async function toInclusionRecord(
  load: ReceiptLoader,
  hash: Hex,
  event: InclusionEvent,
): Promise<InclusionRecord> {
  const { transactionHash, blockNumber, blockHash, success, actualGasUsed, actualGasCost } = event;
  const found = { transactionHash, blockNumber, blockHash, success, actualGasUsed, actualGasCost };
  const loaded = await load(transactionHash);
  if (!loaded) return { ...found, reason: null, receipt: null };
  const own = loaded.results.get(hash);
  const logs = (own?.logs ?? []).map(toStoredLog);
  const isTooLong = JSON.stringify(logs).length > MAX_STORED_LOG_CHARACTERS;
  return {
    ...found,
    reason: own?.revertReason === undefined ? null : toReason(own.revertReason),
    receipt: { receipt: toStoredReceipt(loaded.receipt), logs: isTooLong ? [] : logs },
  };
}

async function loadReceipt(client: PublicClient, hash: Hex): Promise<LoadedReceipt | undefined> {
  try {
    const receipt = await client.getTransactionReceipt({ hash });
    const results = Object.values(ACCOUNT_CONTRACTS).flatMap(({ entryPoint }) =>
      parseUserOperationEvents(entryPoint, receipt.logs),
    );
    return { receipt, results: new Map(results.map((result) => [result.hash, result])) };
  } catch (error) {
    const isTooLarge =
      error instanceof BaseError &&
      error.walk((cause) => cause instanceof RpcNodeError && cause.kind === 'too_heavy') !== null;
    if (isTooLarge) return undefined;
    throw error;
  }
}

const toStoredReceipt = (receipt: TransactionReceipt): object => ({
  transactionHash: receipt.transactionHash,
  transactionIndex: String(receipt.transactionIndex),
  blockHash: receipt.blockHash,
  blockNumber: String(receipt.blockNumber),
  from: receipt.from,
  to: receipt.to,
  cumulativeGasUsed: String(receipt.cumulativeGasUsed),
  status: receipt.status === 'success' ? '0x1' : '0x0',
  gasUsed: String(receipt.gasUsed),
  contractAddress: receipt.contractAddress ?? null,
  logsBloom: receipt.logsBloom,
  effectiveGasPrice: String(receipt.effectiveGasPrice),
});

const toHex = (value: bigint | number | null): string | null =>
  value === null ? null : `0x${value.toString(16)}`;

/** The log in the form of JSON-RPC. */
const toStoredLog = (log: Log): object => ({
  address: log.address,
  topics: log.topics,
  data: log.data,
  blockNumber: toHex(log.blockNumber),
  blockHash: log.blockHash,
  transactionHash: log.transactionHash,
  transactionIndex: toHex(log.transactionIndex),
  logIndex: toHex(log.logIndex),
  removed: false,
});

const REASONS = parseAbi(['error Error(string message)', 'error Panic(uint256 code)']);

/** A contract chooses these bytes. */
function toReason(data: Hex): string {
  try {
    const [reason] = decodeErrorResult({ abi: REASONS, data }).args;
    return toStoredText(String(reason).slice(0, MAX_REASON_LENGTH));
  } catch {
    return data.slice(0, MAX_REASON_LENGTH);
  }
}
