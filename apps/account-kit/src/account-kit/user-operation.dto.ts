import { evmAddress, EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { chainQuery } from './platform.dto.js';

/** Bounds what one operation costs to simulate and to send. */
const MAX_CALL_DATA_BYTES = 32 * 1_024;
const MAX_CALLS = 32;
const MAX_UINT256 = 2n ** 256n - 1n;

const callData = z
  .string()
  .regex(/^(0x([0-9a-fA-F]{2})*)?$/, 'must be whole bytes as hex text with 0x, or empty for no data')
  .max(2 + 2 * MAX_CALL_DATA_BYTES, `must be at most ${MAX_CALL_DATA_BYTES} bytes`);

const value = z
  .string()
  .regex(/^(0x[0-9a-fA-F]{1,64}|\d{1,78})?$/, {
    error: 'must be wei as hex or decimal text, or empty for none',
    abort: true,
  })
  .refine((text) => BigInt(text) <= MAX_UINT256, 'must fit in 256 bits');

/** Accepts both spellings of the call data; `""` means none (contract.md section 10). */
export const userOperationRequest = z
  .strictObject({
    target: evmAddress,
    callData: callData.optional(),
    calldata: callData.optional(),
    value: value.optional(),
  })
  .refine(
    ({ callData: one, calldata: other }) =>
      one === undefined || other === undefined || one.toLowerCase() === other.toLowerCase(),
    { path: ['calldata'], error: 'must be equal to callData: send only one of them' },
  )
  .meta({
    id: 'BotSubmitUserOperationRequest',
    example: { target: EXAMPLES.holder, callData: '0x', value: '1' },
  });
export type UserOperationRequest = z.infer<typeof userOperationRequest>;

const countDigits = (calls: readonly UserOperationRequest[]): number =>
  calls.reduce((sum, call) => sum + (call.callData ?? call.calldata ?? '').length, 0);

export const batchUserOperationRequest = z
  .strictObject({ userOps: z.array(userOperationRequest).min(1).max(MAX_CALLS) })
  .refine(({ userOps }) => countDigits(userOps) <= 2 * MAX_CALL_DATA_BYTES + 2 * userOps.length, {
    path: ['userOps'],
    error: `must have at most ${MAX_CALL_DATA_BYTES} bytes of call data together`,
  })
  .meta({
    id: 'BotSubmitBatchUserOperationRequest',
    example: { userOps: [{ target: EXAMPLES.holder, callData: '0x', value: '1' }] },
  });
export type BatchUserOperationRequest = z.infer<typeof batchUserOperationRequest>;

export const userOperationResponse = z
  .object({ userOperationHash: z.string(), chainId: z.number() })
  .meta({ id: 'BotSubmitUserOperationResponse' });
export type UserOperationResponse = z.infer<typeof userOperationResponse>;

export const userOperationHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a 32-byte hash')
  .meta({ example: EXAMPLES.userOperationHash });

export const userOperationReceiptQuery = chainQuery.extend({ userOperationHash });
export type UserOperationReceiptQuery = z.infer<typeof userOperationReceiptQuery>;

/** A JSON number up to 2^53 - 1, as existing clients read it, and decimal text above. */
const quantity = z.union([z.number(), z.string()]);

const transactionReceipt = z.object({
  transactionHash: z.string(),
  transactionIndex: quantity,
  blockHash: z.string(),
  blockNumber: quantity,
  from: z.string(),
  to: z.string().nullable(),
  cumulativeGasUsed: quantity,
  status: z.string(),
  gasUsed: quantity,
  contractAddress: z.string().nullable(),
  logsBloom: z.string(),
  effectiveGasPrice: quantity,
});

/**
 * An included operation has all fields. One that failed before it was included has `success: false`, `reason` and no receipt;
 * one that is under way has `userOpHash` and `state` only (202).
 */
export const userOperationReceipt = z
  .object({
    userOpHash: z.string(),
    state: z.string(),
    entryPoint: z.string(),
    sender: z.string(),
    nonce: quantity,
    paymaster: z.string().nullable(),
    actualGasUsed: quantity,
    actualGasCost: quantity,
    success: z.boolean(),
    reason: z.string(),
    receipt: transactionReceipt.nullable(),
    logs: z.array(z.looseObject({})),
  })
  .partial()
  .required({ userOpHash: true, state: true })
  .meta({ id: 'UserOperationReceipt' });
export type UserOperationReceipt = z.infer<typeof userOperationReceipt>;
