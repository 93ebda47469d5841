import { evmAddress, EXAMPLES } from '@app/dto';
import type { Hex } from 'viem';
import { size } from 'viem/utils';
import { z } from 'zod';
import { dryRunField, userOperationDryRun } from '../user-operations/dry-run.dto.js';
import type { AccountCall, CallFields } from '../evm/operations/encode-execute.js';
import {
  encodeFunctionCall,
  FunctionCallError,
  MAX_CALL_DATA_BYTES,
  MAX_PARAMETERS,
  MAX_SIGNATURE_LENGTH,
} from './encode-function-call.js';
import { chainQuery } from './platform.dto.js';
import { ACCOUNT_CONTRACTS } from '../evm/accounts/account-contracts.js';
import { packNonce } from '../evm/operations/user-operation.js';
import { isPending } from '../user-operations/user-operations.service.js';
import type { OperationReceiptRow } from '../user-operations/user-operations.queries.js';

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

const signature = z.string().max(MAX_SIGNATURE_LENGTH).meta({
  description:
    'The function to call, as a signature without `returns`, such as `transfer(address to, uint256 amount)`, in place of `callData`',
});

const functionArguments = z
  .array(z.unknown())
  .max(MAX_PARAMETERS)
  .meta({
    description:
      'The values of the parameters of `function`: integers as decimal or hex text, addresses and bytes as hex text, `bool` as true or ' +
      'false, arrays and tuples as arrays',
  });

/** The call data in both spellings, where `""` means none, or a function and its arguments (contract.md section 10). */
const callFields = z.strictObject({
  target: evmAddress,
  callData: callData.optional(),
  calldata: callData.optional(),
  function: signature.optional(),
  arguments: functionArguments.optional(),
  value: value.optional(),
});

function toCall(
  { target, value: wei, ...call }: z.output<typeof callFields>,
  context: z.RefinementCtx,
): AccountCall {
  try {
    const fields = { target: 'target', data: nameDataField(call) };
    return { target, value: BigInt(wei ?? ''), data: toCallData(call), fields };
  } catch (error) {
    if (!(error instanceof FunctionCallError)) throw error;
    context.addIssue({ code: 'custom', path: [...error.path], message: error.message });
    return z.NEVER;
  }
}

const example = { target: EXAMPLES.holder, callData: '0x', value: '1' };

export const userOperationRequest = callFields
  .extend({ dryRun: dryRunField })
  .transform(({ dryRun, ...call }, context) => ({ call: toCall(call, context), dryRun }))
  .meta({ id: 'BotSubmitUserOperationRequest', example });
export type UserOperationRequest = z.infer<typeof userOperationRequest>;

interface CallDataFields {
  readonly callData?: string | undefined;
  readonly calldata?: string | undefined;
  readonly function?: string | undefined;
  readonly arguments?: readonly unknown[] | undefined;
}

function nameDataField(call: CallDataFields): string {
  const names = ['function', 'calldata'] as const;
  return call.callData === undefined
    ? (names.find((name) => call[name] !== undefined) ?? 'callData')
    : 'callData';
}

/** @throws FunctionCallError */
function toCallData(call: CallDataFields): Hex {
  const { callData: one, calldata: other, function: text, arguments: values } = call;
  if (text === undefined) {
    if (values !== undefined) throw new FunctionCallError(['arguments'], 'must stand beside function');
    if (one !== undefined && other !== undefined && one.toLowerCase() !== other.toLowerCase())
      throw new FunctionCallError(['calldata'], 'must be equal to callData: send only one of them');
    return `0x${(one ?? other ?? '').slice(2)}`;
  }
  for (const field of ['callData', 'calldata'] as const)
    if (call[field] !== undefined)
      throw new FunctionCallError([field], 'must not stand beside function: send only one of them');
  const data = encodeFunctionCall(text, values ?? []);
  if (size(data) > MAX_CALL_DATA_BYTES)
    throw new FunctionCallError(['arguments'], `must be at most ${MAX_CALL_DATA_BYTES} bytes when encoded`);
  return data;
}

const prefixFields = (prefix: string, { fields }: AccountCall): CallFields | undefined =>
  fields && { target: `${prefix}.${fields.target}`, data: `${prefix}.${fields.data}` };

const countBytes = (calls: readonly AccountCall[]): number =>
  calls.reduce((sum, { data }) => sum + size(data), 0);

export const batchUserOperationRequest = z
  .strictObject({
    userOps: z
      .array(callFields.transform(toCall).meta({ id: 'UserOperationCall', example }))
      .min(1)
      .max(MAX_CALLS),
    dryRun: dryRunField,
  })
  .refine(({ userOps }) => countBytes(userOps) <= MAX_CALL_DATA_BYTES, {
    path: ['userOps'],
    // zod runs this check also after a call was refused, when that call has no data.
    when: ({ issues }) => issues.length === 0,
    error: `must have at most ${MAX_CALL_DATA_BYTES} bytes of call data together`,
  })
  .transform(({ userOps, dryRun }) => ({
    userOps: userOps.map((call, index) => ({ ...call, fields: prefixFields(`userOps.${index}`, call) })),
    dryRun,
  }))
  .meta({
    id: 'BotSubmitBatchUserOperationRequest',
    example: {
      userOps: [
        { target: EXAMPLES.holder, callData: '0x', value: '1' },
        {
          target: EXAMPLES.erc20,
          function: 'approve(address spender, uint256 amount)',
          arguments: [EXAMPLES.holder, '1000000'],
        },
      ],
    },
  });
export type BatchUserOperationRequest = z.infer<typeof batchUserOperationRequest>;

export const userOperationResponse = z
  .object({ userOperationHash: z.string(), chainId: z.number() })
  .meta({ id: 'BotSubmitUserOperationResponse' });
export type UserOperationResponse = z.infer<typeof userOperationResponse>;

export const userOperationOutcome = z.union([userOperationResponse, userOperationDryRun]);
export type UserOperationOutcome = z.infer<typeof userOperationOutcome>;

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
