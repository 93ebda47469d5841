import { type Address } from './abi-encode.js';
import { type ReadFailureCode } from '../../shared/read-result.js';

/** Stands for the chain's Multicall3, whose address differs between chains. */
export const multicall3Target = 'multicall3';

/** One question to one contract, as a plain value. Hex texts are without 0x. */
export interface ContractRead<T> {
  readonly to: Address | typeof multicall3Target;
  /** Calldata: selector and padded words. */
  readonly data: string;
  /** Throws MalformedAnswer on anything but the exact shape. */
  readonly decode: (returnData: string) => T;
  /** What a revert means where it has a meaning; without it a revert is a lasting failure. */
  readonly onRevert?: { readonly value: T };
}

export interface ReadSuccess<T> {
  readonly ok: true;
  readonly value: T;
  /** The block it was read at: unset after a single re-read. The chain's own count, on Arbitrum too. */
  readonly blockNumber?: bigint;
}

export interface ReadFailure {
  readonly ok: false;
  /** True: the contract's fault, asking again gives the same. False: the node's fault, ask again later. */
  readonly permanent: boolean;
  readonly code: ReadFailureCode;
  /** May be shown to callers: names no RPC URL. */
  readonly message: string;
}

export type ReadResult<T> = ReadSuccess<T> | ReadFailure;
