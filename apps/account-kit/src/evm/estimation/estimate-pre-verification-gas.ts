import { type Address, BaseError, ExecutionRevertedError, type Hex, type PublicClient } from 'viem';
import { encodeFunctionData, hexToBigInt, hexToBytes, parseAbi, parseEther, size } from 'viem/utils';
import type { AccountVersion } from '../accounts/account-contracts.js';
import { feesTooHigh } from './estimation.errors.js';
import {
  FLOOR_OTHER_BYTE_GAS,
  FLOOR_ZERO_BYTE_GAS,
  LEAST_EXECUTED_GAS,
  OTHER_BYTE_GAS,
  PAID_OPERATION_OVERHEAD_GAS,
  TRANSACTION_GAS,
  ZERO_BYTE_GAS,
} from './gas-costs.js';

/** The GasPriceOracle of the OP stack since its upgrade Fjord. */
const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F';
const ORACLE = parseAbi(['function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)']);
const WORD_BYTES = 32;
/**
 * The most that a node may say an operation costs on the chain below. Above it the node is wrong, or that chain is too
 * dear for this deployment. On Base an operation costs a thousandth of it.
 */
const MAX_L1_FEE = parseEther('0.005');

/**
 * What the bytes of a transaction cost on the chain below, in gas of this chain; 0 on chains without the oracle of the OP stack.
 * @param options.gasPrice of this chain, in wei
 * @throws AppError 503 `fees_too_high` above MAX_L1_FEE
 */
export async function estimateL1Gas(
  client: PublicClient,
  { bytes, gasPrice }: { readonly bytes: bigint; readonly gasPrice: bigint },
): Promise<bigint> {
  const data = encodeFunctionData({ abi: ORACLE, functionName: 'getL1FeeUpperBound', args: [bytes] });
  try {
    const { data: fee } = await client.call({ to: GAS_PRICE_ORACLE, data });
    if (fee === undefined || size(fee) !== WORD_BYTES) return 0n;
    const price = gasPrice > 0n ? gasPrice : 1n;
    if (hexToBigInt(fee) > MAX_L1_FEE) throw feesTooHigh();
    return (hexToBigInt(fee) + price - 1n) / price;
  } catch (error) {
    // An older oracle, or another contract at this address, reverts.
    if (error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError))
      return 0n;
    throw error;
  }
}

/**
 * Calldata of `handleOps` with one operation, beside its dynamic fields: 22 words with the padding of the fields. At most 128 bytes of
 * them are not zero: two addresses, a nonce with a random key, gas limits, fees, offsets and lengths.
 */
const FIXED_BYTES = { all: 22n * 32n, other: 128n };
const SIGNATURE_BYTES = 65n;
/** A transaction beside its call data: nonce, fees, gas limit, address, chain and signature. */
const TRANSACTION_BYTES = 160n;

/** The size of a transaction that holds one operation. @param data the dynamic fields of the operation */
export const toTransactionBytes = (data: readonly Hex[]): bigint =>
  BigInt(data.reduce((sum, hex) => sum + size(hex), 0)) +
  FIXED_BYTES.all +
  SIGNATURE_BYTES +
  TRANSACTION_BYTES;

/**
 * Gas that pays for calldata and for the share of a transaction that an operation needs when it is sent alone. A transaction costs
 * either its calldata (EIP-2028) and what it executes, or the floor of EIP-7623 for its calldata, whichever is more. What the
 * operation executes is paid apart from this, so the floor is reduced by the least that any operation of the version executes.
 * @param data the dynamic fields of the operation
 */
export function estimatePreVerificationGas(version: AccountVersion, data: readonly Hex[]): bigint {
  const bytes = data.map((hex) => hexToBytes(hex));
  const zeros = BigInt(bytes.reduce((sum, part) => sum + countZeros(part), 0));
  const others = BigInt(bytes.reduce((sum, part) => sum + part.length, 0)) - zeros;
  const allZeros = zeros + FIXED_BYTES.all - FIXED_BYTES.other;
  const allOthers = others + FIXED_BYTES.other + SIGNATURE_BYTES;
  const standard = allZeros * ZERO_BYTE_GAS + allOthers * OTHER_BYTE_GAS + PAID_OPERATION_OVERHEAD_GAS;
  const floor =
    allZeros * FLOOR_ZERO_BYTE_GAS + allOthers * FLOOR_OTHER_BYTE_GAS - LEAST_EXECUTED_GAS[version];
  return TRANSACTION_GAS + (standard > floor ? standard : floor);
}

const countZeros = (bytes: Uint8Array): number =>
  bytes.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0);
