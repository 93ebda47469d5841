import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type BatchReport,
  createErc20BalanceRead,
  type EvmReader,
  type NodeStateReport,
  type ReadResult,
  type ContractRead,
} from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import { found, holder, HostileNodeFixture, transient } from '../support/hostile-node-fixture.js';
import { forwardTo, type HostileNode, onCalls } from '../support/hostile-node.js';

const chainId = 31_337;
/** In the proportion in which they are by default. */
const [requestTimeoutMs, budgetMs] = [2_000, 5_000];
/** Nodes work for longer on it than anybody waits. */
const slowContract: EvmAddress = '0x00000000000000000000000000000000005104c0';

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const addressOf = (index: number): EvmAddress => `0x${index.toString(16).padStart(40, '0')}`;
const honest = (count: number, from = 500): ContractRead<bigint>[] =>
  Array.from({ length: count }, (_, i) => createErc20BalanceRead(fixture.erc20.address, addressOf(from + i)));
const isSound = (outcomes: readonly ReadResult<unknown>[]): boolean => outcomes.every(({ ok }) => ok);
const late = { ok: false, permanent: false, code: 'timeout' };

/** A real node that never comes to an end with calls that contain the slow contract. */
const slowNode = (): Promise<HostileNode> => {
  const forward = forwardTo(fixture.chain.rpcUrl);
  return fixture.node(
    onCalls((request, response) =>
      JSON.stringify(request.params).includes(slowContract.slice(2)) ? undefined : forward(request, response),
    ),
  );
};

interface Slow {
  batches: BatchReport[];
  reader: EvmReader;
  states: NodeStateReport[];
  quarantined: number[];
}

async function start(count: number): Promise<Slow> {
  const nodes: HostileNode[] = [];
  for (let i = 0; i < count; i += 1) nodes.push(await slowNode());
  const states: NodeStateReport[] = [];
  const batches: BatchReport[] = [];
  const quarantined: number[] = [];
  const reader = fixture.reader(
    nodes.map(({ url }) => url),
    {
      requestTimeoutMs,
      budgetMs,
      onNodeState: (report) => states.push(report),
      onBatch: (batch) => batches.push(batch),
      onQuarantine: ({ contracts }) => quarantined.push(contracts),
    },
  );
  return { batches, reader, states, quarantined };
}

describe('a contract that takes every node too long', () => {
  it.each([1, 2])('is found out, with %d nodes: strangers are answered, no node is blamed', async (count) => {
    const { batches, reader, states, quarantined } = await start(count);
    const slow = [createErc20BalanceRead(slowContract, holder)];
    const [attack, ...strangers] = await Promise.all([
      reader.read(chainId, [...slow, ...honest(3, 900)]),
      ...Array.from({ length: 12 }, (_, i) => reader.read(chainId, honest(4, 1_000 * (i + 1)))),
    ]);
    for (const outcomes of strangers) expect(isSound(outcomes)).toBe(true);
    expect(attack[0]).toMatchObject(late);
    expect(isSound(attack.slice(1))).toBe(true);
    expect(quarantined).toEqual([1]);

    // From now on it is by itself, however often it is asked for: more often than a breaker would bear.
    batches.length = 0;
    const again = reader.read(
      chainId,
      Array.from({ length: 8 }, (_, id) => createErc20BalanceRead(slowContract, addressOf(id))),
    );
    for (let round = 0; round < 10; round += 1)
      expect(isSound(await reader.read(chainId, honest(20, 20_000 + 100 * round)))).toBe(true);
    expect(batches.map(({ lane }) => lane)).toEqual(Array(10).fill('foreground'));
    expect(await again).toMatchObject(Array(8).fill(late));
    expect(states.map(({ state }) => state)).toEqual(Array(count).fill('up'));
  });

  it('is found out by itself, too', async () => {
    const { reader, states, quarantined } = await start(1);
    expect(await reader.read(chainId, [createErc20BalanceRead(slowContract, holder)])).toMatchObject([late]);
    expect(quarantined).toEqual([1]);
    expect(states.map(({ state }) => state)).toEqual(['up']);
  });
});

describe('a question that gets lost on its way', () => {
  /** A balancer that swallows the first question it gets, and lets everything else through. */
  const swallowing = (): Promise<HostileNode> => {
    const forward = forwardTo(fixture.chain.rpcUrl);
    let swallowed = 0;
    return fixture.node(
      onCalls((request, response) => ((swallowed += 1) === 1 ? undefined : forward(request, response))),
    );
  };

  it.each([1, 2])('is asked again, with %d nodes, and held against no contract', async (count) => {
    const nodes = [await swallowing()];
    if (count > 1) nodes.push(await fixture.node(onCalls(forwardTo(fixture.chain.rpcUrl))));
    const quarantined: number[] = [];
    const reader = fixture.reader(
      nodes.map(({ url }) => url),
      { requestTimeoutMs, budgetMs, onQuarantine: ({ contracts }) => quarantined.push(contracts) },
    );
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(quarantined).toEqual([]);
    // Where there is another node, it is that one's turn.
    if (count > 1) expect(nodes[1]?.count('eth_call')).toBeGreaterThan(0);
  });
});

describe('a node that is silent', () => {
  it('is held to it and passed over, though it names its chain at once', async () => {
    const silent = await fixture.node(onCalls(() => undefined));
    const states: NodeStateReport[] = [];
    const options = { requestTimeoutMs: 200, onNodeState: (report: NodeStateReport) => states.push(report) };
    expect(await fixture.balance(fixture.reader([silent.url, fixture.chain.rpcUrl], options))).toMatchObject(
      found,
    );
    const alone = fixture.reader([silent.url], options);
    for (let i = 0; i < 5; i += 1) expect(await fixture.balance(alone)).toMatchObject(transient);
    expect(states.at(-1)).toMatchObject({ state: 'breaker_open' });
  });
});
