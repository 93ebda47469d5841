import type { Address, Hex, PublicClient } from 'viem';
import { hexToBigInt, numberToHex } from 'viem/utils';

interface SimulatedCall {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly gas?: bigint;
}

interface SimulatedResult {
  readonly isSuccess: boolean;
  /** What the call returned, or reverted with. */
  readonly data: Hex;
  /** With the 21,000 of a transaction. */
  readonly gasUsed: bigint;
}

/**
 * Executes calls in new blocks after the newest one (`eth_simulateV1`). viem's `simulateBlocks` decodes every log of every call, of which
 * a bundle has hundreds.
 * @returns the result of the last call
 */
export async function simulateCalls(
  client: PublicClient,
  blocks: readonly (readonly SimulatedCall[])[],
): Promise<SimulatedResult> {
  const results = await client.request({
    method: 'eth_simulateV1',
    params: [{ blockStateCalls: blocks.map((calls) => ({ calls: calls.map(toRequest) })) }, 'latest'],
  });
  const last = results.at(-1)?.calls.at(-1);
  if (results.length !== blocks.length || last === undefined)
    throw new Error('eth_simulateV1 answered without calls');
  const { status, error, returnData, gasUsed } = last;
  return {
    isSuccess: status === '0x1',
    data: error?.data ?? returnData,
    gasUsed: hexToBigInt(gasUsed),
  };
}

const toRequest = ({ gas, ...call }: SimulatedCall) => ({
  ...call,
  ...(gas === undefined ? {} : { gas: numberToHex(gas) }),
});
