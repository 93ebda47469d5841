import { decodeFunctionData, getAbiItem, type Hex, multicall3Abi } from 'viem';
import { encodeBatchResult, word } from '../support/hostile-node-fixture.js';
import { type NodeBehaviour, reply } from '../support/hostile-node.js';

export interface ClockedScript {
  chainId: bigint;
  /** Result of Multicall3.getBlockNumber(). */
  block: bigint;
  /** Result of ArbSys.arbBlockNumber(); unset on a chain without ArbSys. */
  ownBlock?: bigint;
  /** Timestamp of the newest block, seconds since 1970. */
  blockTimestamp: bigint;
  /** The node's clock, milliseconds since 1970; unset: correct; null: responses without a Date header. */
  clock?: number | null;
  /** The balance of every account. */
  value: bigint;
}

const aggregate3 = [getAbiItem({ abi: multicall3Abi, name: 'aggregate3' })] as const;
const [getBlockNumber, getTimestamp, arbBlockNumber, getChainId] = [
  '0x42cbb15c',
  '0x0f28c97d',
  '0xa3b1b31d',
  '0x3408e470',
];

/** A node that responds by the current state of its script, with a timestamp of its newest block. */
export function clocked(script: ClockedScript): NodeBehaviour {
  const getCallResult = (callData: Hex): Hex => {
    if (callData === getBlockNumber) return word(script.block);
    if (callData === getChainId) return word(script.chainId);
    if (callData === getTimestamp) return word(script.blockTimestamp);
    if (callData === arbBlockNumber) return script.ownBlock === undefined ? '0x' : word(script.ownBlock);
    // The gas sentinel is the only call of that length: four pairs of points.
    return word(callData.length === 2 + 4 * 384 ? 1n : script.value);
  };
  const getResult = (method: string, params: readonly unknown[]): Hex => {
    if (method === 'eth_chainId') return hex(script.chainId);
    if (method === 'eth_blockNumber') return hex(script.ownBlock ?? script.block);
    const [{ data }] = params as [{ data: Hex }];
    const [calls] = decodeFunctionData({ abi: aggregate3, data }).args;
    return encodeBatchResult(...calls.map(({ callData }) => getCallResult(callData)));
  };
  return ({ id, method, params }, response) => {
    const { clock = Date.now() } = script;
    response.sendDate = false;
    if (clock !== null) response.setHeader('date', new Date(clock).toUTCString());
    reply(response, id, { result: getResult(method, params) });
  };
}

export const secondsAgo = (seconds: number): bigint => BigInt(Math.floor(Date.now() / 1000) - seconds);

const hex = (value: bigint): Hex => `0x${value.toString(16)}`;
