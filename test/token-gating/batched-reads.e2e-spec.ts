import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { forwardTo, HostileNode, onCalls } from '../support/hostile-node.js';
import { LocalChain } from '../support/local-chain.js';
import { GatingApp } from './gating-app.js';

const holder = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';

let chain: LocalChain;
let node: HostileNode;
let gating: GatingApp;

beforeAll(async () => {
  chain = await LocalChain.start();
  node = await HostileNode.start(onCalls(forwardTo(chain.rpcUrl)));
  gating = await GatingApp.start({ [`RPC_URL_${chain.chainId}`]: node.url });
});

afterAll(async () => {
  await gating.stop();
  await node.stop();
  await chain.stop();
});

it('check-roles: reads all rules of a check in one node call', async () => {
  const { chainId } = chain;
  const coin = await chain.deploy('DemoERC20', ['Demo', 'DEMO', 18, holder, 10n ** 18n]);
  const collection = await chain.deploy('DemoERC1155');
  await chain.mint(collection, holder, 150n, 1n);
  const rules = [
    { type: 'NATIVE', chainId, minToken: '0' },
    { type: 'ERC1155', chainId, contractAddress: collection.address, tokenId: '1-200' },
    ...Array.from({ length: 400 }, (_, index) => ({
      type: 'ERC20',
      chainId,
      contractAddress: coin.address,
      minToken: index < 200 ? '1' : '1.1',
    })),
  ];
  expect(await gating.granted(holder, ...rules)).toEqual(rules.map((_, index) => index < 202));
  expect(node.count('eth_call')).toBe(1);
});
