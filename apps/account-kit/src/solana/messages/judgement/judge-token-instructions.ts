import { isUnresolved } from '../transaction/resolve-keys.js';
import {
  type Instruction,
  type InstructionJudge,
  type Spend,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './instruction.js';
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

/** Numbers of the instructions of Token and Token-2022: https://docs.rs/spl-token-interface */
const TRANSFER = 3;
const APPROVE = 4;
const CLOSE_ACCOUNT = 9;
const TRANSFER_CHECKED = 12;
/** Instruction and amount. */
const AMOUNT_BYTES = 1 + 8;
/** Instruction, amount and decimals. */
const CHECKED_AMOUNT_BYTES = AMOUNT_BYTES + 1;

/**
 * Allows Transfer, TransferChecked, Approve, and CloseAccount that pays the rent to the account. The account may be the authority, and with
 * the Token program a signer of an authority that is a multisig. Token-2022 hands the accounts after the authority to the transfer hook of
 * the mint, a program on no list, with the signatures that it asks for; it does so for an authority that is a multisig, too, which anybody
 * may create with the account as a signer. So no instruction of Token-2022 may name the account after its authority.
 */
export const judgeTokenInstruction: InstructionJudge = (instruction, account) => {
  const { accounts, data } = instruction;
  const [type] = data;
  const [source, second] = accounts;
  if ((type === TRANSFER || type === APPROVE) && data.length === AMOUNT_BYTES)
    return judgeAmount(instruction, { account, tokenAccount: source, mint: undefined, authorityIndex: 2 });
  if (type === TRANSFER_CHECKED && data.length === CHECKED_AMOUNT_BYTES)
    return judgeAmount(instruction, { account, tokenAccount: source, mint: second, authorityIndex: 3 });
  const isClosing = type === CLOSE_ACCOUNT && data.length === 1 && source !== account && second === account;
  return isClosing && !isGivenToHook(instruction, { account, authorityIndex: 2 }) ? [] : undefined;
};

interface AmountAccounts {
  readonly account: string;
  readonly tokenAccount: string | undefined;
  /** Undefined where the instruction does not name it. */
  readonly mint: string | undefined;
  /** The authority, after which the signers of one that is a multisig follow. */
  readonly authorityIndex: number;
}

function judgeAmount(
  instruction: Instruction,
  { account, tokenAccount, mint, authorityIndex }: AmountAccounts,
): readonly Spend[] | undefined {
  const { accounts, data } = instruction;
  if (tokenAccount === undefined || accounts.length <= authorityIndex) return undefined;
  // A key that signs is no token account and no mint.
  if (accounts.slice(0, authorityIndex).includes(account)) return undefined;
  if (isGivenToHook(instruction, { account, authorityIndex })) return undefined;
  if (!accounts.includes(account)) return [];
  return [{ kind: 'tokens', tokenAccount, mint, amount: data.readBigUInt64LE(1) }];
}

const isGivenToHook = (
  { program, accounts }: Instruction,
  { account, authorityIndex }: Pick<AmountAccounts, 'account' | 'authorityIndex'>,
): boolean => program === TOKEN_2022_PROGRAM && accounts.includes(account, authorityIndex + 1);
