import { encodeBatchResult, word } from './hostile-node-fixture.js';
import { HostileNode, reply } from './hostile-node.js';

/** Position of the number of calls in the calldata of aggregate3: after 0x, the selector and the offset. */
const LENGTH_AT = 2 + 8 + 64;
const WORD_DIGITS = 64;

/**
 * A fast node of the local chain with one result for every read, for tests with millions of reads.
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
    const [{ data }] = params as [{ data: string }];
    if (data.length < LENGTH_AT + WORD_DIGITS) {
      reply(response, id, { result: block });
      return;
    }
    const calls = Number(`0x${data.slice(LENGTH_AT, LENGTH_AT + WORD_DIGITS)}`);
    const result = resultsByCount.get(calls) ?? createResult(calls);
    resultsByCount.set(calls, result);
    if (delayMs === 0) reply(response, id, { result });
    else setTimeout(reply, delayMs, response, id, { result });
  });
}
