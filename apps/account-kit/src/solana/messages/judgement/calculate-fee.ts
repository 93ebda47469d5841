import { solanaPolicyForbidden } from '../solana-message.errors.js';
import { COMPUTE_BUDGET_PROGRAM } from './instruction.js';

const LAMPORTS_PER_SIGNATURE = 5_000n;
const MAX_COMPUTE_UNITS = 1_400_000n;
const MICRO_LAMPORTS = 1_000_000n;
/** Bounds what a wrong unit price can cost: 0.01 SOL. */
const MAX_PRIORITY_FEE_LAMPORTS = 10_000_000n;

/** Numbers of the Compute Budget program's instructions: https://docs.rs/solana-compute-budget-interface */
const REQUEST_HEAP_FRAME = 1;
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;
const SET_LOADED_ACCOUNTS_DATA_SIZE_LIMIT = 4;
/** The number and a u32, or a u64 for the price. */
const SHORT_BYTES = 1 + 4;
const PRICE_BYTES = 1 + 8;

/** An instruction, as far as fees depend on it. */
interface FeeInstruction {
  readonly program: string | undefined;
  readonly data: Buffer;
}

/**
 * The most that the transaction can cost its fee payer, in lamports.
 * @throws AppError 403 for a priority fee above MAX_PRIORITY_FEE_LAMPORTS, and unknown compute budget instructions
 */
export function calculateFee(signatureCount: number, instructions: readonly FeeInstruction[]): bigint {
  const { units, price } = readComputeBudget(instructions);
  return addFees(signatureCount, units ?? MAX_COMPUTE_UNITS, price);
}

/**
 * What the transaction costs its fee payer, in lamports.
 * @throws AppError 403 as calculateFee, and for a unit price without a limit of units, whose default depends on the network's version
 */
export function calculateExactFee(signatureCount: number, instructions: readonly FeeInstruction[]): bigint {
  const { units, price } = readComputeBudget(instructions);
  if (price > 0n && units === undefined)
    throw solanaPolicyForbidden('with a compute unit price it must set a compute unit limit, too');
  return addFees(signatureCount, units ?? 0n, price);
}

function readComputeBudget(instructions: readonly FeeInstruction[]) {
  let units: bigint | undefined;
  let price = 0n;
  for (const { data } of instructions.filter(({ program }) => program === COMPUTE_BUDGET_PROGRAM)) {
    const [type] = data;
    // The runtime refuses a transaction that sets the same limit twice.
    if (type === SET_COMPUTE_UNIT_LIMIT && data.length === SHORT_BYTES) units = BigInt(data.readUInt32LE(1));
    else if (type === SET_COMPUTE_UNIT_PRICE && data.length === PRICE_BYTES) price = data.readBigUInt64LE(1);
    else if (!isHarmless(data)) throw solanaPolicyForbidden('it has an unknown compute budget instruction');
  }
  return { units, price };
}

function addFees(signatureCount: number, units: bigint, price: bigint): bigint {
  const limit = units > MAX_COMPUTE_UNITS ? MAX_COMPUTE_UNITS : units;
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
