import { z } from 'zod';
import { ACCOUNT_CONTRACTS } from '../evm/accounts/account-contracts.js';
import { packNonce } from '../evm/operations/user-operation.js';
import { isPending } from '../user-operations/operation-receipts.service.js';
import type { OperationReceiptRow } from '../user-operations/user-operations.queries.js';
import type { UserOperationReceipt } from './user-operation.dto.js';

/** Existing clients read numbers; what a JSON number cannot hold exactly is decimal text. */
const toQuantity = (amount: bigint): number | string =>
  amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : String(amount);

const storedQuantity = z.string().transform((text) => toQuantity(BigInt(text)));

const storedReceipt = z.object({
  receipt: z.object({
    transactionHash: z.string(),
    transactionIndex: storedQuantity,
    blockHash: z.string(),
    blockNumber: storedQuantity,
    from: z.string(),
    to: z.string().nullable(),
    cumulativeGasUsed: storedQuantity,
    status: z.string(),
    gasUsed: storedQuantity,
    contractAddress: z.string().nullable(),
    logsBloom: z.string(),
    effectiveGasPrice: storedQuantity,
  }),
  logs: z.array(z.looseObject({})),
});

/** Shapes the row of an operation as existing clients read a receipt (contract.md section 10). */
export function toOperationReceipt(userOpHash: string, row: OperationReceiptRow): UserOperationReceipt {
  const { state } = row;
  if (isPending(row)) return { userOpHash, state };
  if (row.receipt === null)
    return { userOpHash, state, success: false, reason: row.reason ?? state, receipt: null, logs: [] };
  return {
    userOpHash,
    state,
    entryPoint: ACCOUNT_CONTRACTS[row.accountVersion].entryPoint,
    sender: row.sender,
    nonce: toQuantity(packNonce({ key: row.nonceKey, sequence: row.nonceSequence })),
    paymaster: row.paymaster,
    actualGasUsed: toQuantity(row.actualGasUsed ?? 0n),
    actualGasCost: toQuantity(row.actualGasCost ?? 0n),
    success: row.success ?? false,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...storedReceipt.parse(row.receipt),
  };
}
