import { decodeFunctionData, getAbiItem, type Hex, multicall3Abi } from 'viem';
import { encodeBatchResult, word } from './hostile-node-fixture.js';
import { type NodeBehaviour, reply } from './hostile-node.js';

export interface NodeScript {
  chainId: bigint;
  /** What contracts see as chain id, if it differs. */
  evmChainId?: bigint;
  block: bigint;
  /** The balance of every account. */
  value: bigint;
}

/** The block tags of the received calls: `latest` or a number in hex. */
export type BlockTags = string[];

const aggregate3 = [getAbiItem({ abi: multicall3Abi, name: 'aggregate3' })] as const;
const getBlockNumber = '0x42cbb15c';

/** A node that responds by the current state of its script, for every contract. */
export function scripted(script: NodeScript, tags: BlockTags = []): NodeBehaviour {
  const getResult = (method: string, params: readonly unknown[]): Hex => {
    if (method === 'eth_chainId') return hex(script.chainId);
    if (method === 'eth_blockNumber') return hex(script.block);
    const [{ data }, tag] = params as [{ data: Hex }, string];
    tags.push(tag);
    const block = tag === 'latest' ? script.block : BigInt(tag);
    if (data === getBlockNumber) return word(block);
    const { args } = decodeFunctionData({ abi: aggregate3, data });
    // The last three calls are the chain id, the block number and the gas sentinel.
    const balances = args[0].slice(3).map(() => word(script.value));
    return encodeBatchResult(...balances, word(script.evmChainId ?? script.chainId), word(block), word(1n));
  };
  return ({ id, method, params }, response) => {
    reply(response, id, { result: getResult(method, params) });
  };
}

const hex = (value: bigint): Hex => `0x${value.toString(16)}`;
