import type { Instruction, InstructionJudge, Spend } from './instruction.js';

/** Numbers of the instructions of Token and Token-2022: https://docs.rs/spl-token-interface */
const TRANSFER = 3;
const APPROVE = 4;
const CLOSE_ACCOUNT = 9;
const TRANSFER_CHECKED = 12;
/** Instruction and amount. */
const AMOUNT_BYTES = 1 + 8;
/** Instruction, amount and decimals. */
const CHECKED_AMOUNT_BYTES = AMOUNT_BYTES + 1;

/** Allows Transfer, TransferChecked, Approve, and CloseAccount that pays the rent to the account. */
export const judgeTokenInstruction: InstructionJudge = (instruction, account) => {
  const { accounts, data } = instruction;
  const [type] = data;
  const [source, second] = accounts;
  if ((type === TRANSFER || type === APPROVE) && data.length === AMOUNT_BYTES)
    return judgeAmount(instruction, { account, tokenAccount: source, mint: undefined, authorityIndex: 2 });
  if (type === TRANSFER_CHECKED && data.length === CHECKED_AMOUNT_BYTES)
    return judgeAmount(instruction, { account, tokenAccount: source, mint: second, authorityIndex: 3 });
  return type === CLOSE_ACCOUNT && data.length === 1 && second === account ? [] : undefined;
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
  { accounts, data }: Instruction,
  { account, tokenAccount, mint, authorityIndex }: AmountAccounts,
): readonly Spend[] | undefined {
  if (tokenAccount === undefined || accounts.length <= authorityIndex) return undefined;
  if (!accounts.slice(authorityIndex).includes(account)) return [];
  return [{ kind: 'tokens', tokenAccount, mint, amount: data.readBigUInt64LE(1) }];
}
