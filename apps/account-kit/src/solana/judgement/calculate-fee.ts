import { solanaPolicyForbidden } from '../solana.errors.js';
import type { Instruction } from './instruction.js';
import { COMPUTE_BUDGET_PROGRAM } from './programs.js';

const LAMPORTS_PER_SIGNATURE = 5_000n;
const MAX_COMPUTE_UNITS = 1_400_000n;
const MICRO_LAMPORTS = 1_000_000n;
/** Bounds what a wrong unit price can cost: 0.01 SOL. */
export const MAX_PRIORITY_FEE_LAMPORTS = 10_000_000n;

/** Numbers of the Compute Budget program's instructions: https://docs.rs/solana-compute-budget-interface */
const REQUEST_HEAP_FRAME = 1;
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;
const SET_LOADED_ACCOUNTS_DATA_SIZE_LIMIT = 4;
/** The number and a u32, or a u64 for the price. */
const SHORT_BYTES = 1 + 4;
const PRICE_BYTES = 1 + 8;

/**
 * The most that the transaction can cost its fee payer, in lamports.
 * @throws AppError 403 for a priority fee above MAX_PRIORITY_FEE_LAMPORTS, and unknown compute budget instructions
 */
export function calculateFee(signatureCount: number, instructions: readonly Instruction[]): bigint {
  let units: bigint | undefined;
  let price = 0n;
  for (const { data } of instructions.filter(({ program }) => program === COMPUTE_BUDGET_PROGRAM)) {
    const [type] = data;
    // The runtime refuses a transaction that sets the same limit twice.
    if (type === SET_COMPUTE_UNIT_LIMIT && data.length === SHORT_BYTES) units = BigInt(data.readUInt32LE(1));
    else if (type === SET_COMPUTE_UNIT_PRICE && data.length === PRICE_BYTES) price = data.readBigUInt64LE(1);
    else if (!isHarmless(data)) throw solanaPolicyForbidden('it has an unknown compute budget instruction');
  }
  const limit = units === undefined || units > MAX_COMPUTE_UNITS ? MAX_COMPUTE_UNITS : units;
  const priorityFee = (limit * price + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
  if (priorityFee > MAX_PRIORITY_FEE_LAMPORTS)
    throw solanaPolicyForbidden(
      `its priority fee of ${priorityFee} lamports exceeds ${MAX_PRIORITY_FEE_LAMPORTS}; lower the compute unit price or set a compute unit limit`,
    );
  return BigInt(signatureCount) * LAMPORTS_PER_SIGNATURE + priorityFee;
}

const isHarmless = (data: Buffer): boolean =>
  (data[0] === REQUEST_HEAP_FRAME || data[0] === SET_LOADED_ACCOUNTS_DATA_SIZE_LIMIT) &&
  data.length === SHORT_BYTES;
