import { type Address, BaseError, ExecutionRevertedError, type PublicClient } from 'viem';
import { encodeFunctionData, hexToBigInt, parseAbi, parseEther, size } from 'viem/utils';
import { feesTooHigh } from './estimation.errors.js';

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
