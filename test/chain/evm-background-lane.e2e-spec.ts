import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createErc20BalanceRead, type ReadLane, type ContractRead } from '@app/chain/evm';
import { HostileNodeFixture } from '../support/hostile-node-fixture.js';
import { forwardTo, onCalls } from '../support/hostile-node.js';
import { until } from '../support/until.js';

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const reads = (count: number, from: number): ContractRead<bigint>[] =>
  Array.from({ length: count }, (_, i) =>
    createErc20BalanceRead(fixture.erc20.address, `0x${(from + i).toString(16).padStart(40, '0')}`),
  );

it('background lane: sends one background batch at a time, and foreground reads first', async () => {
  let holding = true;
  let pending = 0;
  let maxPending = 0;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const forward = forwardTo(fixture.chain.rpcUrl);
  const node = await fixture.node(
    onCalls(async (request, response) => {
      pending += 1;
      maxPending = Math.max(maxPending, pending);
      if (holding) {
        holding = false;
        await held;
      }
      await forward(request, response);
      pending -= 1;
    }),
  );
  const lanes: ReadLane[] = [];
  const reader = fixture.reader([node.url], {
    requestTimeoutMs: 8_000,
    onBatch: ({ lane }) => lanes.push(lane),
  });
  const { chainId } = fixture.chain;
  const background = reader.read(chainId, reads(1_000, 10_000), { lane: 'background' });
  await until('the first batch is sent', () => node.count('eth_call') > 0);
  // While the first background batch hangs at the node, foreground reads go on and other background reads wait.
  for (let i = 0; i < 5; i += 1) {
    const results = await reader.read(chainId, reads(10, 100 * i));
    expect(results.every((result) => result.ok)).toBe(true);
  }
  expect(lanes).toEqual(Array(5).fill('foreground'));
  expect(maxPending).toBe(2);
  release();
  expect((await background).every((result) => result.ok)).toBe(true);
  // Full batches, because providers charge per call.
  expect(lanes.slice(5)).toEqual(Array(2).fill('background'));
});

it('background lane: does not starve the background while foreground reads wait for a node', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const forward = forwardTo(fixture.chain.rpcUrl);
  const node = await fixture.node(
    onCalls(async (request, response) => {
      if (node.count('eth_call') === 1) await held;
      await forward(request, response);
    }),
  );
  const reader = fixture.reader([node.url], { requestTimeoutMs: 8_000, maxInFlight: 1 });
  const { chainId } = fixture.chain;
  const first = reader.read(chainId, reads(1, 1));
  await until('the first batch is sent', () => node.count('eth_call') > 0);
  const second = reader.read(chainId, reads(1, 2));
  const background = await reader.read(chainId, reads(50, 5), { lane: 'background' });
  expect(background.every((result) => result.ok)).toBe(true);
  release();
  expect((await Promise.all([first, second])).flat().every((result) => result.ok)).toBe(true);
});
