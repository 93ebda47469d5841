import { decodeFunctionData, type Hex, multicall3Abi } from 'viem';
import { encodeBatchResult, word } from './hostile-node-fixture.js';
import { HostileNode, reply } from './hostile-node.js';

/** Position of the number of calls in the calldata of aggregate3: after 0x, the selector and the offset. */
const LENGTH_AT = 2 + 8 + 64;
const WORD_DIGITS = 64;

const SUPPORTS_INTERFACE = '01ffc9a7';
const CLAIMS_ERC721 = `0x${SUPPORTS_INTERFACE}80ac58cd`;
const DECIMALS = '0x313ce567';

/** What collections of ERC-721 say of themselves, and the value for every other call. */
function readCall(callData: Hex, value: bigint): bigint {
  if (callData.startsWith(CLAIMS_ERC721)) return 1n;
  return callData === DECIMALS || callData.startsWith(`0x${SUPPORTS_INTERFACE}`) ? 0n : value;
}

/** The results of a batch that asks contracts what they are. */
function createKindsResult(data: Hex, value: bigint, block: Hex): string {
  const { args } = decodeFunctionData({ abi: multicall3Abi, data });
  const [calls] = args as readonly [readonly { callData: Hex }[]];
  const values = calls.slice(0, -3).map(({ callData }) => word(readCall(callData, value)));
  return encodeBatchResult(...values, word(31_337n), block, word(1n));
}

/**
 * A fast node of the local chain with one result for every read of ERC-721 tokens, for tests with millions of reads.
 * @param delayMs time that each batch takes
 */
export function uniformNode(value: bigint, delayMs = 0): Promise<HostileNode> {
  const block = word(1n);
  const resultsByCount = new Map<number, string>();
  const createResult = (calls: number): string => {
    // The last three calls are the chain id, the block number and the gas sentinel.
    const values = Array.from({ length: calls - 3 }, () => word(value));
    return encodeBatchResult(...values, word(31_337n), block, word(1n));
  };
  return HostileNode.start(({ id, method, params }, response) => {
    if (method === 'eth_chainId') {
      reply(response, id, { result: '0x7a69' });
      return;
    }
    if (method === 'eth_blockNumber') {
      reply(response, id, { result: '0x1' });
      return;
    }
    if (method !== 'eth_call') {
      reply(response, id, { error: { code: -32_601, message: `the method ${method} does not exist` } });
      return;
    }
    const [{ data }] = params as [{ data: Hex }];
    if (data.length < LENGTH_AT + WORD_DIGITS) {
      reply(response, id, { result: block });
      return;
    }
    const calls = Number(`0x${data.slice(LENGTH_AT, LENGTH_AT + WORD_DIGITS)}`);
    const isAboutKinds = data.includes(SUPPORTS_INTERFACE);
    const result = isAboutKinds
      ? createKindsResult(data, value, block)
      : (resultsByCount.get(calls) ?? createResult(calls));
    if (!isAboutKinds) resultsByCount.set(calls, result);
    if (delayMs === 0) reply(response, id, { result });
    else setTimeout(reply, delayMs, response, id, { result });
  });
}
