import { EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { chainQuery } from './platform.dto.js';

const hex = z.string().regex(/^(0x[0-9a-fA-F]*)?$/, 'must be hex text, or empty for no data');
const value = z.string().regex(/^(0x[0-9a-fA-F]+|\d+)$/, 'must be hex or decimal text');

/** Accepts both spellings of the call data; `""` means none (contract.md section 7). */
export const userOperationRequest = z
  .strictObject({ target: z.string(), callData: hex.optional(), calldata: hex.optional(), value })
  .meta({
    id: 'BotSubmitUserOperationRequest',
    example: { target: EXAMPLES.erc20, callData: '0x', value: '0' },
  });

export const batchUserOperationRequest = z
  .strictObject({ userOps: z.array(userOperationRequest).min(1).max(100) })
  .meta({
    id: 'BotSubmitBatchUserOperationRequest',
    example: { userOps: [{ target: EXAMPLES.erc20, callData: '0x', value: '0' }] },
  });

export const userOperationResponse = z
  .object({ userOperationHash: z.string(), chainId: z.number() })
  .meta({ id: 'BotSubmitUserOperationResponse' });

export const userOperationReceiptQuery = chainQuery.extend({
  userOperationHash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a 32-byte hash')
    .meta({ example: `0x${'22'.repeat(32)}` }),
});

export const userOperationReceipt = z
  .object({
    userOpHash: z.string(),
    entryPoint: z.string(),
    sender: z.string(),
    nonce: z.string(),
    paymaster: z.string().nullable(),
    actualGasUsed: z.string(),
    actualGasCost: z.string(),
    success: z.boolean(),
    receipt: z.object({
      transactionHash: z.string(),
      transactionIndex: z.string(),
      blockHash: z.string(),
      blockNumber: z.string(),
      from: z.string(),
      to: z.string().nullable(),
      cumulativeGasUsed: z.string(),
      status: z.string(),
      gasUsed: z.string(),
      contractAddress: z.string().nullable(),
      logsBloom: z.string(),
      effectiveGasPrice: z.string(),
    }),
    logs: z.array(z.looseObject({})),
  })
  .meta({ id: 'UserOperationReceipt' });
