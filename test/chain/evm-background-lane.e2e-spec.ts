import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createErc20BalanceRead, type ReadLane, type ContractRead } from '@app/chain/evm';
import { HostileNodeFixture } from '../support/hostile-node-fixture.js';
import { forwardTo, onCalls } from '../support/hostile-node.js';

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

it('keeps background reads to one chunk at a time, behind the foreground', async () => {
  let holding = true;
  let underWay = 0;
  let most = 0;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const forward = forwardTo(fixture.chain.rpcUrl);
  const node = await fixture.node(
    onCalls(async (request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      if (holding) {
        holding = false;
        await held;
      }
      await forward(request, response);
      underWay -= 1;
    }),
  );
  const lanes: ReadLane[] = [];
  const reader = fixture.reader([node.url], {
    requestTimeoutMs: 8_000,
    onBatch: ({ lane }) => lanes.push(lane),
  });
  const { chainId } = fixture.chain;
  const background = reader.read(chainId, reads(1_000, 10_000), { lane: 'background' });
  while (node.count('eth_call') === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  // The first background chunk hangs at the node: the foreground passes it, the rest of the background waits.
  for (let i = 0; i < 5; i += 1) {
    const outcomes = await reader.read(chainId, reads(10, 100 * i));
    expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
  }
  expect(lanes).toEqual(Array(5).fill('foreground'));
  expect(most).toBe(2);
  release();
  expect((await background).every((outcome) => outcome.ok)).toBe(true);
  // As full as those of the foreground: nodes are paid by the call.
  expect(lanes.slice(5)).toEqual(Array(2).fill('background'));
});

it('does not starve the background while the foreground waits for a node', async () => {
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
  while (node.count('eth_call') === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const second = reader.read(chainId, reads(1, 2));
  const background = await reader.read(chainId, reads(50, 5), { lane: 'background' });
  expect(background.every((outcome) => outcome.ok)).toBe(true);
  release();
  expect((await Promise.all([first, second])).flat().every((outcome) => outcome.ok)).toBe(true);
});
