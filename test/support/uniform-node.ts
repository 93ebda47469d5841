import { batchAnswer, word } from './hostile-node-fixture.js';
import { HostileNode, reply } from './hostile-node.js';

/** Where the length of the calls stands in the calldata of aggregate3: after the selector and the offset. */
const LENGTH_AT = 2 + 8 + 64;
const WORD = 64;

/** A node of the local chain that gives every read the same answer, fast: for tests with millions of them. */
export function uniformNode(value: bigint): Promise<HostileNode> {
  const block = word(1n);
  const answers = new Map<number, string>();
  const answerTo = (calls: number): string => {
    // The last two are the block number and the gas gauge.
    const values = Array.from({ length: calls - 2 }, () => word(value));
    return batchAnswer(...values, block, word(1n));
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
    if (data.length < LENGTH_AT + WORD) {
      reply(response, id, { result: block });
      return;
    }
    const calls = Number(`0x${data.slice(LENGTH_AT, LENGTH_AT + WORD)}`);
    const answer = answers.get(calls) ?? answerTo(calls);
    answers.set(calls, answer);
    reply(response, id, { result: answer });
  });
}
