import type { InstructionJudge } from './instruction.js';

/** Numbers of the System program's instructions: https://docs.rs/solana-system-interface */
const CREATE_ACCOUNT = 0;
const TRANSFER = 2;
export const ADVANCE_NONCE_ACCOUNT = 4;
/** Instruction, lamports, space and owner. */
const CREATE_ACCOUNT_BYTES = 4 + 8 + 8 + 32;
/** Instruction and lamports. */
const TRANSFER_BYTES = 4 + 8;

/** Allows Transfer and CreateAccount. To create the account itself would give it to a program. */
export const judgeSystemInstruction: InstructionJudge = ({ accounts, data }, account) => {
  const [from, to] = accounts;
  const isTransfer = data.length === TRANSFER_BYTES && data.readUInt32LE() === TRANSFER;
  const isCreation =
    data.length === CREATE_ACCOUNT_BYTES && data.readUInt32LE() === CREATE_ACCOUNT && to !== account;
  if (!(isTransfer || isCreation) || from === undefined || to === undefined) return undefined;
  return from === account ? [{ kind: 'lamports', lamports: data.readBigUInt64LE(4) }] : [];
};
