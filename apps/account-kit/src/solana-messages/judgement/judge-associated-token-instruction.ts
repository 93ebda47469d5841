import { isUnresolved } from '../transaction/resolve-keys.js';
import type { InstructionJudge } from './instruction.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.js';

/** Numbers of the instructions: https://docs.rs/spl-associated-token-account-interface. Create may have no data. */
const CREATE = 0;
const CREATE_IDEMPOTENT = 1;

/** Solana's price of an account that stays: 3,480 lamports a byte and year for two years, and 128 bytes for its header. */
const toRentLamports = (bytes: number): bigint => BigInt((128 + bytes) * 3_480 * 2);
/** Another token program would choose the size of the account, which its payer pays for. */
const RENT_LAMPORTS: ReadonlyMap<string | undefined, bigint> = new Map([
  [TOKEN_PROGRAM, toRentLamports(165)],
  // The account is taken to be longer than the extensions that a mint of Token-2022 requires of it.
  [TOKEN_2022_PROGRAM, toRentLamports(512)],
]);

/**
 * Allows Create and CreateIdempotent. The rent counts also where the token account exists already. A token program that an address lookup
 * table names, and no node was asked for, counts as the cheaper one.
 */
export const judgeAssociatedTokenInstruction: InstructionJudge = ({ accounts, data }, account) => {
  const [type = CREATE] = data;
  const [payer, , , , , tokenProgram] = accounts;
  const isUnknown = tokenProgram !== undefined && isUnresolved(tokenProgram);
  const lamports = RENT_LAMPORTS.get(isUnknown ? TOKEN_PROGRAM : tokenProgram);
  if (data.length > 1 || (type !== CREATE && type !== CREATE_IDEMPOTENT) || lamports === undefined)
    return undefined;
  return payer === account ? [{ kind: 'lamports', lamports }] : [];
};
