import { type ReadFailure } from './read.js';

const lasting = {
  unavailable: false,
  timeout: false,
  unknown_chain: true,
  reverted: true,
  out_of_gas: true,
  no_contract: true,
  malformed_answer: true,
} as const;

export type ReadFailureCode = keyof typeof lasting;

export function readFailure(code: ReadFailureCode, message: string): ReadFailure {
  return { ok: false, lasting: lasting[code], code, message };
}
