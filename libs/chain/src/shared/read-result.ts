import { type ReadFailure } from '../evm/codec/contract-read.js';

const PERMANENT_BY_CODE = {
  unavailable: false,
  timeout: false,
  unknown_chain: true,
  reverted: true,
  out_of_gas: true,
  no_contract: true,
  malformed_answer: true,
} as const;

export type ReadFailureCode = keyof typeof PERMANENT_BY_CODE;

export function createReadFailure(code: ReadFailureCode, message: string): ReadFailure {
  return { ok: false, permanent: PERMANENT_BY_CODE[code], code, message };
}
