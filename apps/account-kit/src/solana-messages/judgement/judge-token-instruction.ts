import type { Instruction, InstructionJudge, Spend } from './instruction.js';
import { TOKEN_2022_PROGRAM } from './programs.js';

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
