import { solanaPolicyForbidden, solanaTransactionInvalid } from '../solana-message.errors.js';
import type { SolanaSponsor } from '../solana-sponsor.config.js';
import type { SolanaTransaction } from '../transaction/solana-transaction.js';
import { calculateFee } from './calculate-fee.js';
import { checkSponsoredMessage } from './check-sponsored-message.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  type Instruction,
  type InstructionJudge,
  type Spend,
  SYSTEM_PROGRAM,
  toInstructions,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './instruction.js';
import { judgeAssociatedTokenInstruction, judgeTokenInstruction } from './judge-token-instructions.js';

export interface JudgeOptions {
  /** The account whose key signs, base58. */
  readonly account: string;
  /** Pays fees of transactions that name it first. It occurs nowhere else. */
  readonly sponsor?: SolanaSponsor | undefined;
  /** Programs that may be called beside those whose instructions are decoded. */
  readonly listedPrograms: ReadonlySet<string>;
}

export interface Judgement {
  readonly feePayer: 'account' | 'sponsor';
  /** Lamports that the account pays at most, or that the sponsor pays. */
  readonly fee: bigint;
  /** What the instructions may take from the account, without the fee. Calls of listed programs are not in it. */
  readonly spends: readonly Spend[];
  /** Called programs whose instructions are not decoded, each once. */
  readonly opaquePrograms: readonly string[];
}

/** Numbers of the System program's instructions: https://docs.rs/solana-system-interface */
const CREATE_ACCOUNT = 0;
const TRANSFER = 2;
const ADVANCE_NONCE_ACCOUNT = 4;
/** Instruction, lamports, space and owner. */
const CREATE_ACCOUNT_BYTES = 4 + 8 + 8 + 32;
/** Instruction and lamports. */
const TRANSFER_BYTES = 4 + 8;

/** Allows Transfer and CreateAccount. To create the account itself would give it to a program. */
const judgeSystemInstruction: InstructionJudge = ({ accounts, data }, account) => {
  const [from, to] = accounts;
  const isTransfer = data.length === TRANSFER_BYTES && data.readUInt32LE() === TRANSFER;
  const isCreation =
    data.length === CREATE_ACCOUNT_BYTES && data.readUInt32LE() === CREATE_ACCOUNT && to !== account;
  if (!(isTransfer || isCreation) || from === undefined || to === undefined) return undefined;
  return from === account ? [{ kind: 'lamports', lamports: data.readBigUInt64LE(4) }] : [];
};

const JUDGES: Readonly<Record<string, InstructionJudge>> = {
  [SYSTEM_PROGRAM]: judgeSystemInstruction,
  [TOKEN_PROGRAM]: judgeTokenInstruction,
  [TOKEN_2022_PROGRAM]: judgeTokenInstruction,
  [ASSOCIATED_TOKEN_PROGRAM]: judgeAssociatedTokenInstruction,
  [COMPUTE_BUDGET_PROGRAM]: () => [],
};

/**
 * Judges what the account's signature would allow.
 * @param keys of the transaction with those of its tables (`resolveKeys`)
 * @throws AppError 400 for a transaction that the account cannot sign, 403 for an instruction that is not allowed
 */
export function judgeTransaction(
  transaction: Pick<SolanaTransaction, 'signers' | 'staticKeys' | 'instructions'>,
  keys: readonly string[],
  options: JudgeOptions,
): Judgement {
  const { account, sponsor } = options;
  const feePayer = judgeSigners(transaction.signers, options);
  const instructions = toInstructions(transaction, keys);
  checkNonce(instructions);
  if (sponsor && keys.includes(sponsor.address, 1))
    throw solanaPolicyForbidden('it names the sponsor of fees other than as its fee payer');
  return {
    feePayer,
    fee:
      sponsor && feePayer === 'sponsor'
        ? checkSponsoredMessage(transaction, { account, sponsor })
        : calculateFee(transaction.signers.length, instructions),
    spends: instructions.flatMap((instruction, index) => judgeInstruction(instruction, index, options)),
    opaquePrograms: [
      ...new Set(instructions.map(({ program }) => program).filter((one) => !Object.hasOwn(JUDGES, one))),
    ],
  };
}

function judgeSigners(signers: readonly string[], { account, sponsor }: JudgeOptions): 'account' | 'sponsor' {
  if (!signers.includes(account)) throw solanaTransactionInvalid(`the account ${account} must be a signer`);
  if (signers[0] === account) return 'account';
  if (sponsor && signers[0] === sponsor.address) return 'sponsor';
  throw solanaTransactionInvalid(`the account ${account} must pay the fee`);
}

/** Refuses a durable nonce, with which a transaction would not expire. */
function checkNonce(instructions: readonly Instruction[]): void {
  const advancesNonce = instructions.some(
    ({ program, data }) => program === SYSTEM_PROGRAM && data[0] === ADVANCE_NONCE_ACCOUNT,
  );
  if (advancesNonce) throw solanaTransactionInvalid('must name a recent blockhash, not a durable nonce');
}

function judgeInstruction(instruction: Instruction, index: number, options: JudgeOptions): readonly Spend[] {
  const { program } = instruction;
  const judge = Object.hasOwn(JUDGES, program) ? JUDGES[program] : undefined;
  if (!judge) {
    if (options.listedPrograms.has(program)) return [];
    throw solanaPolicyForbidden(
      `instruction ${index} calls the program ${program}, which is not on the list`,
    );
  }
  const spends = judge(instruction, options.account);
  if (!spends)
    throw solanaPolicyForbidden(
      `instruction ${index} is not among those of the program ${program} that may be signed`,
    );
  return spends;
}
