import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createErc20BalanceRead,
  createErc20DecimalsRead,
  createErc721OwnerRead,
  type EvmReader,
  type ContractRead,
} from '@app/chain/evm';
import { found, holder, HostileNodeFixture, transient } from '../support/hostile-node-fixture.js';
import { forwardTo, type HostileNode, onCalls } from '../support/hostile-node.js';
import { clocked, secondsAgo } from './clocked-node.js';

const other = '0x00000000000000000000000000000000000000e5';
const long = { blockTime: 600_000 };

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const realNode = (): Promise<HostileNode> => fixture.node(onCalls(forwardTo(fixture.chain.rpcUrl)));
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the result cache', () => {
  it('result cache: serves repeated reads, and counts hits separately from reads', async () => {
    const node = await realNode();
    const hits: number[] = [];
    const batches: number[] = [];
    const reader = fixture.reader(
      [node.url],
      { onCacheHits: (report) => hits.push(report.hits), onBatch: ({ reads }) => batches.push(reads) },
      long,
    );
    const reads: ContractRead<bigint | number>[] = [
      createErc20BalanceRead(fixture.erc20.address, holder),
      createErc20DecimalsRead(fixture.erc20.address),
    ];
    const first = await reader.read(fixture.chain.chainId, reads);
    const second = await reader.read(fixture.chain.chainId, [
      ...reads,
      createErc20BalanceRead(fixture.erc20.address, other),
    ]);
    expect(second).toMatchObject([...first, { ok: true, value: 0n }]);
    expect(node.count('eth_call')).toBe(2);
    expect({ hits, batches }).toEqual({ hits: [2], batches: [2, 1] });
  });

  it('result cache: is cleared as soon as a response shows a newer block', async () => {
    const node = await realNode();
    const reader = fixture.reader([node.url], {}, long);
    const account = '0x00000000000000000000000000000000000000f6';
    expect(await fixture.balance(reader, account)).toMatchObject({ value: 0n });
    await fixture.chain.mint(fixture.erc20, account, 5n);
    expect(await fixture.balance(reader, account)).toMatchObject({ value: 0n });
    expect(await fixture.balance(reader, other)).toMatchObject({ value: 0n });
    expect(await fixture.balance(reader, account)).toMatchObject({ value: 5n });
  });

  it('result cache: does not store results of a lagging node', async () => {
    const script = { chainId: 31_337n, block: 100n, blockTimestamp: secondsAgo(0), value: 1n };
    const node = await fixture.node(clocked(script));
    const reader = fixture.reader([node.url], {}, long);
    expect(await fixture.balance(reader)).toMatchObject({ value: 1n });
    Object.assign(script, { block: 99n, value: 2n });
    expect(await fixture.balance(reader, other)).toMatchObject({ value: 2n });
    script.value = 3n;
    expect(await fixture.balance(reader, other)).toMatchObject({ value: 3n });
    expect(await fixture.balance(reader)).toMatchObject({ value: 1n });
  });

  it('result cache: expires after one block time', async () => {
    const node = await realNode();
    const reader = fixture.reader([node.url], {}, { blockTime: 150 });
    await fixture.balance(reader);
    await sleep(200);
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(node.count('eth_call')).toBe(2);
  });

  it.each<[string, { cache?: boolean }, { blockTime?: number }]>([
    ['on the local chain', {}, { blockTime: 0 }],
    ['if the block time is unknown', {}, {}],
    ['if it is disabled', { cache: false }, long],
  ])('result cache: is not used %s', async (_, options, facts) => {
    const node = await realNode();
    const reader = fixture.reader([node.url], options, facts);
    for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject(found);
    expect(node.count('eth_call')).toBe(3);
  });
});

describe('results that are not cached', () => {
  const readTwice = async (reader: EvmReader, read: ContractRead<unknown>): Promise<unknown[]> => [
    ...(await reader.read(fixture.chain.chainId, [read])),
    ...(await reader.read(fixture.chain.chainId, [read])),
  ];

  it('results that are not cached: are reverts and empty results', async () => {
    const node = await realNode();
    const reader = fixture.reader([node.url], {}, long);
    const { address } = await fixture.chain.deploy('Reverting', [0, 'not today']);
    await readTwice(reader, createErc20BalanceRead(address, holder));
    await readTwice(reader, createErc721OwnerRead(address, 1n));
    await readTwice(reader, createErc20BalanceRead(other, holder));
    expect(node.count('eth_call')).toBe(6);
  });

  it('results that are not cached: are failures of the node', async () => {
    let down = true;
    const forward = forwardTo(fixture.chain.rpcUrl);
    const node = await fixture.node(
      onCalls((request, response) =>
        down ? void response.writeHead(503).end() : forward(request, response),
      ),
    );
    const reader = fixture.reader([node.url], {}, long);
    expect(await fixture.balance(reader)).toMatchObject(transient);
    down = false;
    expect(await fixture.balance(reader)).toMatchObject(found);
  });
});
