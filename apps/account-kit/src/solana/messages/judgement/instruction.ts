import type { SolanaTransaction } from '../transaction/solana-transaction.js';

/** Addresses of Solana's programs whose instructions are decoded. */
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';

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
