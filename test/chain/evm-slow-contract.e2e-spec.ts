import { setTimeout as sleep } from 'node:timers/promises';
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
/** The defaults, of which the parts of a split batch have a quarter: less is too little for a busy node. */
const [requestTimeoutMs, budgetMs] = [4_000, 10_000];
/** A contract whose calls take longer than any timeout. */
const slowContract: EvmAddress = '0x00000000000000000000000000000000005104c0';

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const createAddress = (index: number): EvmAddress => `0x${index.toString(16).padStart(40, '0')}`;
const honest = (count: number, from = 500): ContractRead<bigint>[] =>
  Array.from({ length: count }, (_, i) =>
    createErc20BalanceRead(fixture.erc20.address, createAddress(from + i)),
  );
const areAllOk = (results: readonly ReadResult<unknown>[]): boolean => results.every(({ ok }) => ok);
const timeout = { ok: false, permanent: false, code: 'timeout' };

/** A real node that never responds to calls that contain the slow contract. */
const startSlowNode = (): Promise<HostileNode> => {
  const forward = forwardTo(fixture.chain.rpcUrl);
  return fixture.node(
    onCalls((request, response) =>
      JSON.stringify(request.params).includes(slowContract.slice(2)) ? undefined : forward(request, response),
    ),
  );
};

interface TestReader {
  batches: BatchReport[];
  reader: EvmReader;
  states: NodeStateReport[];
  quarantined: number[];
}

async function start(count: number): Promise<TestReader> {
  const nodes: HostileNode[] = [];
  for (let i = 0; i < count; i += 1) nodes.push(await startSlowNode());
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

describe('a contract that exceeds the timeout of every node', () => {
  it.each([1, 2])(
    'is detected with %d nodes: other callers get results, and no node becomes unhealthy',
    async (count) => {
      const { batches, reader, states, quarantined } = await start(count);
      const slow = [createErc20BalanceRead(slowContract, holder)];
      const [attack, ...others] = await Promise.all([
        reader.read(chainId, [...slow, ...honest(3, 900)]),
        ...Array.from({ length: 12 }, (_, i) => reader.read(chainId, honest(4, 1_000 * (i + 1)))),
      ]);
      for (const results of others) expect(areAllOk(results)).toBe(true);
      expect(attack[0]).toMatchObject(timeout);
      expect(areAllOk(attack.slice(1))).toBe(true);
      expect(quarantined).toEqual([1]);

      // The contract is now read alone, more often than the threshold of the circuit breaker.
      batches.length = 0;
      const repeated = reader.read(
        chainId,
        Array.from({ length: 8 }, (_, id) => createErc20BalanceRead(slowContract, createAddress(id))),
      );
      for (let round = 0; round < 10; round += 1)
        expect(areAllOk(await reader.read(chainId, honest(20, 20_000 + 100 * round)))).toBe(true);
      expect(batches.map(({ lane }) => lane)).toEqual(Array(10).fill('foreground'));
      expect(await repeated).toMatchObject(Array(8).fill(timeout));
      expect(states.map(({ state }) => state)).toEqual(Array(count).fill('up'));
    },
  );

  it('contract that exceeds the timeout of every node: is detected without other reads too', async () => {
    const { reader, states, quarantined } = await start(1);
    expect(await reader.read(chainId, [createErc20BalanceRead(slowContract, holder)])).toMatchObject([
      timeout,
    ]);
    expect(quarantined).toEqual([1]);
    expect(states.map(({ state }) => state)).toEqual(['up']);
  });
});

describe('a lost request', () => {
  /** A load balancer that drops the first request and forwards all others. */
  const startDroppingNode = (): Promise<HostileNode> => {
    const forward = forwardTo(fixture.chain.rpcUrl);
    let requests = 0;
    return fixture.node(
      onCalls((request, response) => ((requests += 1) === 1 ? undefined : forward(request, response))),
    );
  };

  it.each([1, 2])('lost request: is retried with %d nodes, and no contract is quarantined', async (count) => {
    const nodes = [await startDroppingNode()];
    if (count > 1) nodes.push(await fixture.node(onCalls(forwardTo(fixture.chain.rpcUrl))));
    const quarantined: number[] = [];
    const reader = fixture.reader(
      nodes.map(({ url }) => url),
      { requestTimeoutMs, budgetMs, onQuarantine: ({ contracts }) => quarantined.push(contracts) },
    );
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(quarantined).toEqual([]);
    // A second node gets the retry.
    if (count > 1) expect(nodes[1]?.count('eth_call')).toBeGreaterThan(0);
  });
});

describe('an unresponsive node', () => {
  it('unresponsive node: opens the circuit breaker and fails over, although it answers eth_chainId', async () => {
    const silent = await fixture.node(onCalls(() => undefined));
    const states: NodeStateReport[] = [];
    const both = fixture.reader([silent.url, fixture.chain.rpcUrl], { requestTimeoutMs });
    expect(await fixture.balance(both)).toMatchObject(found);
    const alone = fixture.reader([silent.url], {
      requestTimeoutMs: 200,
      onNodeState: (report) => states.push(report),
    });
    for (let i = 0; i < 5; i += 1) expect(await fixture.balance(alone)).toMatchObject(transient);
    expect(states.at(-1)).toMatchObject({ state: 'breaker_open' });
  });
});

describe('functions that rules chose', () => {
  it('T325: functions of two tenants that are never answered: leave the sockets of the node to all other reads', async () => {
    const node = await startSlowNode();
    const reader = fixture.reader([node.url], { connections: 4, requestTimeoutMs: 60_000, budgetMs });
    expect(await fixture.balance(reader)).toMatchObject(found);
    const attacks = ['one', 'two'].map((tenantId) => {
      const chosen = Array.from({ length: 20 }, (_, index) => ({
        ...createErc20BalanceRead(slowContract, holder),
        data: index.toString(16).padStart(8, '1'),
        isIsolated: true,
      }));
      return reader.read(chainId, chosen, { tenantId });
    });
    const over = Promise.all(attacks).then(() => 'the attack is over');
    await sleep(300);
    for (let index = 7; index < 10; index += 1)
      expect(await Promise.race([fixture.balance(reader, createAddress(index)), over])).toMatchObject({
        ok: true,
        value: 0n,
      });
    await reader.close();
    expect((await Promise.all(attacks)).flat().some(({ ok }) => ok)).toBe(false);
  });
});
