import type { SolanaTransaction } from '../transaction/solana-transaction.js';

/** An instruction with base58 addresses. */
export interface Instruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
}

/** What an instruction may take from the account. */
export type Spend =
  | { readonly kind: 'lamports'; readonly lamports: bigint }
  /** The mint is that of `tokenAccount` where the instruction does not name it. */
  | {
      readonly kind: 'tokens';
      readonly tokenAccount: string;
      readonly mint: string | undefined;
      readonly amount: bigint;
    };

/** @returns what an instruction of one program may take from the account; undefined for one that is never allowed */
export type InstructionJudge = (instruction: Instruction, account: string) => readonly Spend[] | undefined;

/** @param keys all keys of the transaction (`resolveKeys`) */
export const toInstructions = (
  { instructions }: Pick<SolanaTransaction, 'instructions'>,
  keys: readonly string[],
): Instruction[] =>
  instructions.map(({ programIndex, accountIndexes, data }) => ({
    program: toKey(keys, programIndex),
    accounts: accountIndexes.map((index) => toKey(keys, index)),
    data: Buffer.from(data),
  }));

function toKey(keys: readonly string[], index: number): string {
  const key = keys[index];
  if (key === undefined) throw new RangeError(`a decoded transaction has no key ${index}`);
  return key;
}
