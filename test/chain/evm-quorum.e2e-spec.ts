import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createChainRegistry,
  createErc20BalanceRead,
  createErc721OwnerRead,
  type EvmReader,
} from '@app/chain/evm';
import { encodeFunctionResult, multicall3Abi } from 'viem';
import { found, holder, HostileNodeFixture, transient, word } from '../support/hostile-node-fixture.js';
import { forwardTo, type HostileNode, type NodeBehaviour, reply } from '../support/hostile-node.js';
import { type BlockTags, type NodeScript, scripted } from '../support/scripted-node.js';

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const createScript = (value: bigint, block = 100n): NodeScript => ({ chainId: 31_337n, block, value });

interface QuorumReader {
  reader: EvmReader;
  nodes: HostileNode[];
  tags: BlockTags;
}

async function start(quorum: number, ...scripts: NodeScript[]): Promise<QuorumReader> {
  const tags: BlockTags = [];
  const nodes: HostileNode[] = [];
  for (const script of scripts) nodes.push(await fixture.node(scripted(script, tags)));
  const reader = fixture.reader(
    nodes.map(({ url }) => url),
    {},
    { quorum },
  );
  return { reader, nodes, tags };
}

describe('a quorum', () => {
  it('RPC quorum: uses a result that enough nodes give at one block', async () => {
    const { reader, nodes, tags } = await start(
      2,
      createScript(7n, 102n),
      createScript(7n, 101n),
      createScript(7n, 100n),
    );
    expect(await fixture.balance(reader)).toMatchObject({ ok: true, value: 7n });
    expect(new Set(tags)).toEqual(new Set(['0x65']));
    expect(nodes.map((node) => node.count('eth_call'))).toEqual([1, 1, 0]);
  });

  it('RPC quorum: queries the other nodes if two disagree', async () => {
    const { reader, nodes } = await start(2, createScript(9n), createScript(7n), createScript(7n));
    expect(await fixture.balance(reader)).toMatchObject({ ok: true, value: 7n });
    expect(nodes.map((node) => node.count('eth_call'))).toEqual([1, 1, 1]);
  });

  it('RPC quorum: is a transient failure without agreement, never a zero balance', async () => {
    const { reader } = await start(2, createScript(0n), createScript(7n), createScript(8n));
    expect(await fixture.balance(reader)).toMatchObject(transient);
    const { reader: all } = await start(3, createScript(7n), createScript(7n), createScript(0n));
    expect(await fixture.balance(all)).toMatchObject(transient);
  });

  it('RPC quorum: is a transient failure without enough nodes', async () => {
    const { reader, nodes } = await start(2, createScript(7n), createScript(7n));
    await nodes[1]?.stop();
    expect(await fixture.balance(reader)).toMatchObject(transient);
  });

  it('RPC quorum: is reached without a node that is on another chain or down', async () => {
    const { reader, nodes } = await start(
      2,
      { ...createScript(7n), chainId: 1n },
      createScript(7n),
      createScript(7n),
      createScript(7n),
    );
    await nodes[1]?.stop();
    expect(await fixture.balance(reader)).toMatchObject({ ok: true, value: 7n });
  });

  it('RPC quorum: does not let a single node choose the block', async () => {
    const { reader: ahead, tags } = await start(
      2,
      createScript(9n, 10_000_000n),
      createScript(7n),
      createScript(7n),
    );
    expect(await fixture.balance(ahead)).toMatchObject({ ok: true, value: 7n });
    const { reader: behind, tags: later } = await start(
      2,
      createScript(9n, 1n),
      createScript(7n),
      createScript(7n),
    );
    expect(await fixture.balance(behind)).toMatchObject({ ok: true, value: 7n });
    expect(new Set([...tags, ...later])).toEqual(new Set(['0x64']));
    const { reader: alone } = await start(2, createScript(7n, 1n), createScript(7n));
    expect(await fixture.balance(alone)).toMatchObject(transient);
  });
});

describe('a single re-read', () => {
  const failedWithoutReason = encodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    result: [
      { success: false, returnData: '0x' },
      { success: true, returnData: word(31_337n) },
      { success: true, returnData: word(100n) },
      { success: true, returnData: word(1n) },
    ],
  });
  /** Makes the call fail without a reason in a batch; alone the node names the reason. */
  const failWith = (message: string): NodeBehaviour => {
    const rest = scripted(createScript(7n));
    return (request, response) => {
      if (request.method !== 'eth_call') return rest(request, response);
      const [{ to }] = request.params as [{ to: string }];
      const alone = to === fixture.erc20.address.toLowerCase();
      reply(
        response,
        request.id,
        alone ? { error: { code: -32000, message } } : { result: failedWithoutReason },
      );
    };
  };
  const readOwner = async (...messages: string[]): Promise<unknown> => {
    const urls: string[] = [];
    for (const message of messages) urls.push((await fixture.node(failWith(message))).url);
    const reader = fixture.reader(urls, {}, { quorum: 2 });
    const [result] = await reader.read(fixture.chain.chainId, [
      createErc721OwnerRead(fixture.erc20.address, 1n),
    ]);
    return result;
  };

  it('single re-read: needs agreement too', async () => {
    const noOwner = { ok: true, value: null };
    const bare = { ok: false, permanent: true, code: 'reverted' };
    const reason = 'execution reverted: no such token';
    expect(await readOwner(reason, reason)).toMatchObject(noOwner);
    expect(await readOwner('execution reverted', 'execution reverted')).toMatchObject(bare);
    expect(await readOwner('execution reverted', 'out of gas')).toMatchObject(transient);
    expect(await readOwner('out of gas', 'execution reverted')).toMatchObject(transient);
    expect(await readOwner('out of gas', 'execution reverted', 'execution reverted')).toMatchObject(bare);
  });
});

describe('a quorum of real nodes', () => {
  it('quorum of real nodes: agrees on balances, reverts and gas burners', async () => {
    const nodes = [
      await fixture.node(forwardTo(fixture.chain.rpcUrl)),
      await fixture.node(forwardTo(fixture.chain.rpcUrl)),
    ];
    const reader = fixture.reader(
      nodes.map(({ url }) => url),
      { requestTimeoutMs: 4_000 },
      { quorum: 2 },
    );
    const silent = await fixture.chain.deploy('Reverting', [1, '']);
    const burner = await fixture.chain.deploy('GasBurner');
    const results = await reader.read<unknown>(fixture.chain.chainId, [
      createErc20BalanceRead(fixture.erc20.address, holder),
      createErc721OwnerRead(silent.address, 1n),
      createErc721OwnerRead(burner.address, 1n),
    ]);
    expect(results).toMatchObject([
      found,
      { ok: false, code: 'reverted' },
      { ok: false, code: 'out_of_gas' },
    ]);
  });
});

it('quorum: requires that many different URLs', () => {
  const chains = (urls: string[]) => () =>
    createChainRegistry({
      custom: [],
      rpcUrls: new Map([[1, urls]]),
      quorums: new Map([[1, 2]]),
      publicRpc: false,
    });
  expect(chains(['https://a.example', 'https://b.example'])).not.toThrow();
  expect(chains(['https://a.example', 'https://a.example'])).toThrow(/quorum of 2 on chain 1/);
});
