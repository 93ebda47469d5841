import type { AccountCall } from '../evm/operations/encode-execute.js';
import type { UserOperationRequest } from './user-operation.dto.js';

export const toAccountCalls = (requests: readonly UserOperationRequest[]): AccountCall[] =>
  requests.map(({ target, callData, calldata, value }) => ({
    target,
    value: BigInt(value ?? ''),
    data: toHex(callData ?? calldata ?? ''),
  }));

/** @param text whole bytes as hex with 0x, or empty; the schema has checked it */
const toHex = (text: string): `0x${string}` => `0x${text.slice(2)}`;
