import { expect, it } from '@jest/globals';
import { createPublicClient, custom, numberToHex, toHex } from 'viem';
import { NodeOrder } from '../../chain-nodes/node-order.js';
import { ChainNode, type CheckedNode } from './chain-node.js';

const nowSeconds = () => Math.floor(Date.now() / 1000);
const toHash = (number: number) => toHex(number, { size: 32 });
const block = { number: 12n, hash: toHash(12) };

/** A node that has blocks up to its head. */
function createNode(url: string, head: number, ageSeconds = 0): CheckedNode {
  const request = ({ params }: { params?: readonly unknown[] }) => {
    const [asked] = params ?? [];
    const number = asked === 'latest' ? head : Number(asked);
    if (number > head) return Promise.resolve(null);
    return Promise.resolve({
      number: numberToHex(number),
      hash: toHash(number),
      timestamp: numberToHex(nowSeconds() - ageSeconds),
      transactions: [],
    });
  };
  return {
    url,
    client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 }),
  };
}

it.each([
  ['a second node that follows the chain two blocks behind', false, [createNode('b', 10)]],
  ['a second node that has the block', true, [createNode('b', 12)]],
  ['a third node that has the block, beside one behind', true, [createNode('b', 10), createNode('c', 12)]],
  ['a second node that has made no block for an hour', true, [createNode('b', 10, 3600)]],
  ['no second node', true, []],
])('ChainNode.isSettled: with %s, is %p', async (_, expected, others) => {
  const rules = { head: { maxLag: 3n, blockTimeMs: 12_000 }, order: new NodeOrder<string>() };
  const node = await ChainNode.load(createNode('a', 12), others, rules);
  expect(await node.isSettled(block, () => Promise.resolve(true))).toBe(expected);
});
