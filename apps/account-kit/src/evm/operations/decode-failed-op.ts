import { BaseError, type Hex } from 'viem';
import { decodeErrorResult, isHex, parseAbi } from 'viem/utils';

/** Why a simulation of `handleOps` failed: the EntryPoint names the operation that it does not accept. */
export interface FailedOp {
  readonly index: number;
  /** The EntryPoint's code and text, such as `AA21 didn't pay prefund`. */
  readonly reason: string;
}

const ERRORS = parseAbi([
  'error FailedOp(uint256 opIndex, string reason)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
]);
const MAX_REASON_LENGTH = 200;

/** @returns undefined if the error is no revert of the EntryPoint that names an operation */
export function decodeFailedOp(error: unknown): FailedOp | undefined {
  const data = findRevertData(error);
  return data && decodeFailedOpData(data);
}

/** @param data what the EntryPoint reverted with */
export function decodeFailedOpData(data: Hex): FailedOp | undefined {
  try {
    const [index, reason] = decodeErrorResult({ abi: ERRORS, data }).args;
    return { index: Number(index), reason: reason.slice(0, MAX_REASON_LENGTH) };
  } catch {
    return undefined; // an error of another contract
  }
}

/** Nodes give the data as `data`, or as `data.data`. */
function findRevertData(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined;
  let found: Hex | undefined;
  error.walk((cause) => {
    const { data } = cause as { data?: unknown };
    const inner = (data as { data?: unknown } | null | undefined)?.data;
    found = [data, inner].find((value) => isHex(value));
    return found !== undefined;
  });
  return found;
}
