import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createChainRegistry,
  createErc20BalanceRead,
  EvmReader,
  type EvmReaderOptions,
  createNativeBalanceRead,
  type NodeState,
} from '@app/chain/evm';
import { found, holder, HostileNodeFixture, transient } from '../support/hostile-node-fixture.js';
import { forwardTo, type HostileNode, type NodeBehaviour, onCalls, reply } from '../support/hostile-node.js';
import { clocked, type ClockedScript, secondsAgo } from './clocked-node.js';

const arbitrumOne = 42_161;

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function eventually(check: () => Promise<boolean> | boolean): Promise<void> {
  for (let i = 0; i < 200 && !(await check()); i += 1) await sleep(25);
  expect(await check()).toBe(true);
}

describe('a chain of Arbitrum, whose contracts see the blocks of the parent chain', () => {
  const script = (ownBlock: bigint, value: bigint): ClockedScript => ({
    chainId: BigInt(arbitrumOne),
    // The same for all: twelve seconds of the parent chain are some fifty blocks of its own.
    block: 21_000_000n,
    ownBlock,
    minedAt: secondsAgo(3_600),
    value,
  });
  const readers: EvmReader[] = [];
  afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.close())));

  const start = async (
    scripts: readonly ClockedScript[],
    { blockTime, ...options }: Partial<EvmReaderOptions> & { blockTime?: number; quorum?: number } = {},
  ) => {
    const nodes: HostileNode[] = [];
    for (const each of scripts) nodes.push(await fixture.node(clocked(each)));
    const urls = nodes.map(({ url }) => url);
    const reader = new EvmReader({
      chains: createChainRegistry({
        custom: blockTime === undefined ? [] : [{ id: arbitrumOne, blockTime }],
        rpcUrls: new Map([[arbitrumOne, urls]]),
        quorums: new Map(options.quorum === undefined ? [] : [[arbitrumOne, options.quorum]]),
        publicRpc: false,
      }),
      requestTimeoutMs: 1_000,
      standbyProbeIntervalMs: 30,
      ...options,
    });
    readers.push(reader);
    const balance = async (account: string = holder) =>
      (await reader.read(arbitrumOne, [createErc20BalanceRead(fixture.erc20.address, account)]))[0];
    return { nodes, balance };
  };

  it('is counted in its own blocks', async () => {
    const { balance } = await start([script(300_000_000n, 7n)]);
    expect(await balance()).toMatchObject({ value: 7n, blockNumber: 300_000_000n });
  });

  it('passes over a node that is behind by its own blocks, and bears with one behind by less than two seconds', async () => {
    const cases: [bigint, bigint][] = [
      [299_999_900n, 2n],
      [299_999_993n, 1n],
    ];
    for (const [behind, expected] of cases) {
      const { balance } = await start([script(behind, 1n), script(300_000_000n, 2n)], { cache: false });
      await balance();
      await sleep(60);
      expect(await balance()).toMatchObject({ value: expected });
    }
  });

  it('drops kept answers when any answer tells of a newer block of its own', async () => {
    const changing = script(300_000_000n, 1n);
    const { balance } = await start([changing], { blockTime: 600_000 });
    expect(await balance()).toMatchObject({ value: 1n });
    Object.assign(changing, { ownBlock: 300_000_001n, value: 2n });
    expect(await balance()).toMatchObject({ value: 1n });
    expect(await balance('0x00000000000000000000000000000000000000e5')).toMatchObject({ value: 2n });
    expect(await balance()).toMatchObject({ value: 2n });
  });

  it('pins its own blocks where a quorum is asked for', async () => {
    const { balance } = await start([script(300_000_004n, 7n), script(300_000_000n, 7n)], { quorum: 2 });
    expect(await balance()).toMatchObject({ value: 7n });
  });

  it('is not stuck while nobody sends a transaction', async () => {
    const { balance } = await start([script(300_000_000n, 7n)]);
    expect(await balance()).toMatchObject({ ok: true });
  });
});

describe('a node whose newest block is old', () => {
  const start = async (minedAt: bigint, blockTime?: number) => {
    const script: ClockedScript = { chainId: 31_337n, block: 100n, minedAt, value: 1n };
    const node = await fixture.node(clocked(script));
    const states: NodeState[] = [];
    const reader = fixture.reader(
      [node.url],
      { standbyProbeIntervalMs: 30, onNodeState: ({ state }) => states.push(state) },
      { ...(blockTime === undefined ? {} : { blockTime }) },
    );
    return { script, states, reader };
  };

  it('is stuck, says so, and gives no answer; it is believed again when blocks come', async () => {
    const { script, states, reader } = await start(secondsAgo(300), 2_000);
    for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject(transient);
    expect(states).toEqual(['up', 'stuck']);
    script.minedAt = secondsAgo(1);
    await eventually(async () => (await fixture.balance(reader))?.ok === true);
    expect(states).toEqual(['up', 'stuck', 'up']);
  });

  it('is found out when it stops later on', async () => {
    const { script, reader } = await start(secondsAgo(1), 2_000);
    expect(await fixture.balance(reader)).toMatchObject({ value: 1n });
    script.minedAt = secondsAgo(200);
    expect(await fixture.balance(reader, '0x00000000000000000000000000000000000000e5')).toMatchObject(
      transient,
    );
  });

  it('is believed when only our clock says so: the one of the node, or the time that we watched, has to agree', async () => {
    // As our clock would see it if it were five minutes fast.
    for (const clock of [Date.now() - 299_000, null]) {
      const { script, states, reader } = await start(secondsAgo(300), 2_000);
      script.clock = clock;
      for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject({ ok: true });
      expect(states).toEqual(['up']);
    }
  });

  it('has its answers believed on a chain that is as slow, is local, or whose block time is not known', async () => {
    for (const blockTime of [60_000, 0, undefined]) {
      const { reader } = await start(secondsAgo(300), blockTime);
      expect(await fixture.balance(reader)).toMatchObject({ ok: true });
    }
  });

  it('is a node of a real chain that tells the time of its block', async () => {
    const reader = fixture.reader([fixture.chain.rpcUrl], {}, { blockTime: 600_000 });
    expect(await fixture.balance(reader)).toMatchObject(found);
  });
});

describe('a node that has no Multicall3 for a moment', () => {
  const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
  /** Says nothing to the first call, as a node does that has not come that far; what was asked, with what override. */
  const start = async (misses: number, recheckMs: number) => {
    await fixture.chain.installMulticall3();
    const overrides: boolean[] = [];
    const forward = forwardTo(fixture.chain.rpcUrl);
    const behaviour: NodeBehaviour = (request, response) => {
      overrides.push(request.params.length > 2);
      if (overrides.length > misses) return forward(request, response);
      reply(response, request.id, { result: '0x' });
    };
    const node = await fixture.node(onCalls(behaviour));
    const reader = new EvmReader({
      chains: createChainRegistry({
        custom: [{ id: 31_337, multicall3 }],
        rpcUrls: new Map([[31_337, [node.url]]]),
        publicRpc: false,
      }),
      chainIdCheckIntervalMs: recheckMs,
    });
    return { reader, overrides };
  };

  it('is lent it for a while, and no longer', async () => {
    const { reader, overrides } = await start(1, 300);
    for (let i = 0; i < 2; i += 1) expect(await fixture.balance(reader)).toMatchObject(found);
    expect(overrides).toEqual([false, true, true]);
    await sleep(350);
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(overrides).toEqual([false, true, true, false]);
    await reader.close();
  });

  it('has no say over other nodes of the chain', async () => {
    await fixture.chain.installMulticall3();
    const overrides: boolean[] = [];
    const forward = forwardTo(fixture.chain.rpcUrl);
    let down = false;
    const first = await fixture.node(
      onCalls((request, response) => {
        if (down) response.writeHead(500).end();
        else if (request.params.length > 2) return forward(request, response);
        else reply(response, request.id, { result: '0x' });
      }),
    );
    const second = await fixture.node(
      onCalls((request, response) => {
        overrides.push(request.params.length > 2);
        return forward(request, response);
      }),
    );
    const reader = new EvmReader({
      chains: createChainRegistry({
        custom: [{ id: 31_337, multicall3 }],
        rpcUrls: new Map([[31_337, [first.url, second.url]]]),
        publicRpc: false,
      }),
    });
    const [native] = await reader.read(31_337, [createNativeBalanceRead(holder)]);
    expect(native).toMatchObject({ ok: true });
    down = true;
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(new Set(overrides)).toEqual(new Set([false]));
    await reader.close();
  });
});
