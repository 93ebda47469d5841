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
import { until } from '../support/until.js';
import { clocked, type ClockedScript, secondsAgo } from './clocked-node.js';

const arbitrumOne = 42_161;

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('an Arbitrum chain, whose contracts see block numbers of the parent chain', () => {
  const script = (ownBlock: bigint, value: bigint): ClockedScript => ({
    chainId: BigInt(arbitrumOne),
    // Equal on all nodes: one block of the parent chain takes as long as about fifty of its own.
    block: 21_000_000n,
    ownBlock,
    blockTimestamp: secondsAgo(3_600),
    value,
  });
  const readers: EvmReader[] = [];
  afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.close())));

  const start = async (
    scripts: readonly ClockedScript[],
    { blockTime, ...options }: Partial<EvmReaderOptions> & { blockTime?: number; quorum?: number } = {},
  ) => {
    const nodes: HostileNode[] = [];
    for (const script of scripts) nodes.push(await fixture.node(clocked(script)));
    const urls = nodes.map(({ url }) => url);
    const reader = new EvmReader({
      chains: createChainRegistry({
        custom: blockTime === undefined ? [] : [{ id: arbitrumOne, blockTime }],
        rpcUrls: new Map([[arbitrumOne, urls]]),
        quorums: new Map(options.quorum === undefined ? [] : [[arbitrumOne, options.quorum]]),
        publicRpc: false,
      }),
      standbyProbeIntervalMs: 30,
      ...options,
    });
    readers.push(reader);
    const balance = async (account: string = holder) =>
      (await reader.read(arbitrumOne, [createErc20BalanceRead(fixture.erc20.address, account)]))[0];
    return { nodes, balance };
  };

  it('Arbitrum chain, whose contracts see block numbers of the parent chain: reports its own block number', async () => {
    const { balance } = await start([script(300_000_000n, 7n)]);
    expect(await balance()).toMatchObject({ value: 7n, blockNumber: 300_000_000n });
  });

  it('Arbitrum chain, whose contracts see block numbers of the parent chain: skips a node that lags by its own blocks, but not by less than two seconds of them', async () => {
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

  it('Arbitrum chain, whose contracts see block numbers of the parent chain: clears the cache at a newer block of its own', async () => {
    const changing = script(300_000_000n, 1n);
    const { balance } = await start([changing], { blockTime: 600_000 });
    expect(await balance()).toMatchObject({ value: 1n });
    Object.assign(changing, { ownBlock: 300_000_001n, value: 2n });
    expect(await balance()).toMatchObject({ value: 1n });
    expect(await balance('0x00000000000000000000000000000000000000e5')).toMatchObject({ value: 2n });
    expect(await balance()).toMatchObject({ value: 2n });
  });

  it('Arbitrum chain, whose contracts see block numbers of the parent chain: pins a block of its own for a quorum', async () => {
    const { balance } = await start([script(300_000_004n, 7n), script(300_000_000n, 7n)], { quorum: 2 });
    expect(await balance()).toMatchObject({ value: 7n });
  });

  it('Arbitrum chain, whose contracts see block numbers of the parent chain: is not stuck while there are no transactions', async () => {
    const { balance } = await start([script(300_000_000n, 7n)]);
    expect(await balance()).toMatchObject({ ok: true });
  });
});

describe('a node with an old newest block', () => {
  const start = async (blockTimestamp: bigint, blockTime?: number) => {
    const script: ClockedScript = { chainId: 31_337n, block: 100n, blockTimestamp, value: 1n };
    const node = await fixture.node(clocked(script));
    const states: NodeState[] = [];
    const reader = fixture.reader(
      [node.url],
      { standbyProbeIntervalMs: 30, onNodeState: ({ state }) => states.push(state) },
      { ...(blockTime === undefined ? {} : { blockTime }) },
    );
    return { script, states, reader };
  };

  it('node with an old newest block: is reported as stuck and not used until it has new blocks', async () => {
    const { script, states, reader } = await start(secondsAgo(300), 2_000);
    for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject(transient);
    expect(states).toEqual(['up', 'stuck']);
    script.blockTimestamp = secondsAgo(1);
    await until('the node is used', async () => (await fixture.balance(reader))?.ok === true);
    expect(states).toEqual(['up', 'stuck', 'up']);
  });

  it('node with an old newest block: is detected when it stops later', async () => {
    const { script, reader } = await start(secondsAgo(1), 2_000);
    expect(await fixture.balance(reader)).toMatchObject({ value: 1n });
    script.blockTimestamp = secondsAgo(200);
    expect(await fixture.balance(reader, '0x00000000000000000000000000000000000000e5')).toMatchObject(
      transient,
    );
  });

  it('node with an old newest block: is used if only the local clock makes the block look old', async () => {
    // The local clock is five minutes fast; with null, the time since the first observation decides.
    for (const clock of [Date.now() - 299_000, null]) {
      const { script, states, reader } = await start(secondsAgo(300), 2_000);
      script.clock = clock;
      for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject({ ok: true });
      expect(states).toEqual(['up']);
    }
  });

  it('node with an old newest block: is used on a chain that is as slow, is local, or has no known block time', async () => {
    for (const blockTime of [60_000, 0, undefined]) {
      const { reader } = await start(secondsAgo(300), blockTime);
      expect(await fixture.balance(reader)).toMatchObject({ ok: true });
    }
  });

  it('node with an old newest block: does not include a real node with a recent block', async () => {
    const reader = fixture.reader([fixture.chain.rpcUrl], {}, { blockTime: 600_000 });
    expect(await fixture.balance(reader)).toMatchObject(found);
  });
});

describe('a node that temporarily lacks Multicall3', () => {
  const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
  /** Returns empty data to the first calls, as a node out of sync does. Records which calls had a state override. */
  const start = async (misses: number, chainIdCheckIntervalMs: number) => {
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
      chainIdCheckIntervalMs,
    });
    return { reader, overrides };
  };

  it('node that temporarily lacks Multicall3: gets it by state override for a limited time', async () => {
    const { reader, overrides } = await start(1, 3_000);
    for (let i = 0; i < 2; i += 1) expect(await fixture.balance(reader)).toMatchObject(found);
    expect(overrides).toEqual([false, true, true]);
    await sleep(3_050);
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(overrides).toEqual([false, true, true, false]);
    await reader.close();
  });

  it('node that temporarily lacks Multicall3: does not affect the other nodes of the chain', async () => {
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
