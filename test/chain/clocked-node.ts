import { decodeFunctionData, getAbiItem, type Hex, multicall3Abi } from 'viem';
import { batchAnswer, word } from '../support/hostile-node-fixture.js';
import { type NodeBehaviour, reply } from '../support/hostile-node.js';

export interface ClockedScript {
  chainId: bigint;
  /** What Multicall3.getBlockNumber says. */
  block: bigint;
  /** What ArbSys says; unset: the chain is none of Arbitrum's, and nothing is there. */
  ownBlock?: bigint;
  /** The newest block's own time, seconds since 1970. */
  minedAt: bigint;
  /** The node's own clock, milliseconds since 1970; unset: right; null: its answers have no Date. */
  clock?: number | null;
  /** What every balance is. */
  value: bigint;
}

const aggregate3 = [getAbiItem({ abi: multicall3Abi, name: 'aggregate3' })] as const;
const [getBlockNumber, getTimestamp, arbBlockNumber] = ['0x42cbb15c', '0x0f28c97d', '0xa3b1b31d'];

/** A node that says what its script says at the moment, and knows the time of its newest block. */
export function clocked(script: ClockedScript): NodeBehaviour {
  const answerTo = (callData: Hex): Hex => {
    if (callData === getBlockNumber) return word(script.block);
    if (callData === getTimestamp) return word(script.minedAt);
    if (callData === arbBlockNumber) return script.ownBlock === undefined ? '0x' : word(script.ownBlock);
    // The gas gauge: four pairs of points.
    return word(callData.length === 2 + 4 * 384 ? 1n : script.value);
  };
  const answer = (method: string, params: readonly unknown[]): Hex => {
    if (method === 'eth_chainId') return hex(script.chainId);
    if (method === 'eth_blockNumber') return hex(script.ownBlock ?? script.block);
    const [{ data }] = params as [{ data: Hex }];
    const [calls] = decodeFunctionData({ abi: aggregate3, data }).args;
    return batchAnswer(...calls.map(({ callData }) => answerTo(callData)));
  };
  return ({ id, method, params }, response) => {
    const { clock = Date.now() } = script;
    response.sendDate = false;
    if (clock !== null) response.setHeader('date', new Date(clock).toUTCString());
    reply(response, id, { result: answer(method, params) });
  };
}

export const secondsAgo = (seconds: number): bigint => BigInt(Math.floor(Date.now() / 1000) - seconds);

const hex = (value: bigint): Hex => `0x${value.toString(16)}`;
