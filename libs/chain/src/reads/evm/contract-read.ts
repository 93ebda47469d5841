import type { EvmAddress } from '@app/dto';

/** Stands for the chain's Multicall3, whose address differs between chains. */
export const multicall3Target = 'multicall3';

/** Stands for the state of an account: the node is asked for its code, and no contract is called. `data` is the address. */
export const accountCodeTarget = 'account code';

/** A read of one contract or account, as a plain value. Hex texts are without 0x. */
export interface ContractRead<T> {
  readonly to: EvmAddress | typeof multicall3Target | typeof accountCodeTarget;
  /** Calldata: selector and padded words. */
  readonly data: string;
  /** Whether up to 3 MiB are read, in a call of its own; every other read has at most 64 KiB. */
  readonly isLarge?: boolean;
  /**
   * Whether a rule chose the function. The read then travels only with reads of the same tenant, contract and function
   * (batch/evm/isolated-reads.ts), because such a function may do worse things than those of standards.
   */
  readonly isIsolated?: boolean;
  /** Throws MalformedReturnDataError on any other shape. */
  readonly decode: (returnData: string) => T;
  /**
   * The value that a revert stands for; without it a revert is a permanent failure. With `needsReason` a revert without data, or
   * whose reason says that the function does not exist, stays a failure: the contract does not have the function.
   */
  readonly onRevert?: { readonly value: T; readonly needsReason?: boolean };
}

/** The part of a read that is sent. */
export type ReadCall = Pick<ContractRead<unknown>, 'to' | 'data' | 'isLarge'>;

/** The longest text of a large read: a document of 1 MiB of which each byte is percent-encoded. */
export const MAX_LARGE_TEXT_BYTES = 3 * 1024 * 1024;

export const isAccountCodeRead = ({ to }: ReadCall): boolean => to === accountCodeTarget;

/** Whether a read calls a contract that somebody chose, and that may misbehave. */
export const isChosenContract = (to: ReadCall['to']): to is EvmAddress =>
  to !== multicall3Target && to !== accountCodeTarget;
