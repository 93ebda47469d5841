import type { Address, Hex, PublicClient } from 'viem';
import { numberToHex } from 'viem/utils';
import { z } from 'zod';

export interface SimulatedCall {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly gas?: bigint;
}

export interface SimulatedResult {
  readonly isSuccess: boolean;
  /** What the call returned, or reverted with. */
  readonly data: Hex;
  /** The gas of the calls, with the 21,000 of a transaction. */
  readonly gasUsed: bigint;
}

const data = z.templateLiteral(['0x', z.string().regex(/^(?:[0-9a-fA-F]{2})*$/)]);
/** A block has less gas than 64 bits hold. */
const gas = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,16}$/, 'must be a quantity in hex')
  .transform(BigInt);
const simulatedBlocks = z.array(
  z.object({
    calls: z.array(
      z.object({
        status: z.enum(['0x0', '0x1']),
        returnData: data,
        gasUsed: gas,
        error: z.object({ data: data.optional().catch(undefined) }).nullish(),
      }),
    ),
  }),
);

interface SimulationOptions {
  /** The block after which the calls are executed; the newest one by default. */
  readonly blockNumber?: bigint;
  /** What `block.basefee` is for the calls; 0 by default. */
  readonly baseFeePerGas?: bigint;
}

/**
 * Executes calls in new blocks (`eth_simulateV1`). viem's `simulateBlocks` decodes every log of every call, of which a bundle has hundreds.
 * @returns the results of all calls, in their order
 */
export async function simulateBlocks(
  client: PublicClient,
  blocks: readonly (readonly SimulatedCall[])[],
  { blockNumber, baseFeePerGas }: SimulationOptions = {},
): Promise<SimulatedResult[]> {
  const overrides =
    baseFeePerGas === undefined ? {} : { blockOverrides: { baseFeePerGas: numberToHex(baseFeePerGas) } };
  const answer: unknown = await client.request({
    method: 'eth_simulateV1',
    params: [
      { blockStateCalls: blocks.map((calls) => ({ ...overrides, calls: calls.map(toRequest) })) },
      blockNumber === undefined ? 'latest' : numberToHex(blockNumber),
    ],
  });
  const answered = simulatedBlocks.parse(answer);
  const calls = answered.flatMap((block) => block.calls);
  if (answered.length !== blocks.length || calls.length !== blocks.flat().length)
    throw new Error('eth_simulateV1 answered without calls');
  return calls.map(({ status, error, returnData, gasUsed }) => ({
    isSuccess: status === '0x1',
    data: error?.data ?? returnData,
    gasUsed,
  }));
}

/** Executes calls in new blocks after the newest one. @returns the result of the last call */
export async function simulateCalls(
  client: PublicClient,
  blocks: readonly (readonly SimulatedCall[])[],
): Promise<SimulatedResult> {
  const last = (await simulateBlocks(client, blocks)).at(-1);
  if (!last) throw new Error('eth_simulateV1 answered without calls');
  return last;
}

const toRequest = ({ gas, ...call }: SimulatedCall) => ({
  ...call,
  ...(gas === undefined ? {} : { gas: numberToHex(gas) }),
});
