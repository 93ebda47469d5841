import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type BatchReport,
  createErc20BalanceRead,
  createErc721OwnerRead,
  type EvmReader,
  type ContractRead,
} from '@app/chain/evm';
import { holder, HostileNodeFixture } from '../support/hostile-node-fixture.js';
import { forwardTo, type HostileNode, onCalls } from '../support/hostile-node.js';
import { type DeployedContract } from '../support/local-chain.js';
import { until } from '../support/until.js';

let fixture: HostileNodeFixture;
let burner: DeployedContract;
let flooder: DeployedContract;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
  burner = await fixture.chain.deploy('GasBurner');
  flooder = await fixture.chain.deploy('Flooder', [3_000_000n, false]);
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const honest = (count: number, from = 500): ContractRead<bigint>[] =>
  Array.from({ length: count }, (_, i) =>
    createErc20BalanceRead(fixture.erc20.address, `0x${(from + i).toString(16).padStart(40, '0')}`),
  );

interface TestReader {
  node: HostileNode;
  reader: EvmReader;
  batches: BatchReport[];
  contracts: number[];
}

async function start(quarantineMs = 60_000): Promise<TestReader> {
  const node = await fixture.node(onCalls(forwardTo(fixture.chain.rpcUrl)));
  const batches: BatchReport[] = [];
  const contracts: number[] = [];
  const reader = fixture.reader([node.url], {
    requestTimeoutMs: 5_000,
    quarantineMs,
    onBatch: (batch) => batches.push(batch),
    onQuarantine: (report) => contracts.push(report.contracts),
  });
  return { node, reader, batches, contracts };
}

const chainId = 31_337;

describe('a misbehaving contract', () => {
  it.each<[string, () => ContractRead<unknown>, object]>([
    [
      'exhausts the gas',
      () => createErc721OwnerRead(burner.address, 1n),
      { code: 'out_of_gas', permanent: true },
    ],
    [
      'returns too much data',
      () => createErc20BalanceRead(flooder.address, holder),
      { code: 'malformed_answer', permanent: true },
    ],
  ])(
    'misbehaving contract: is read alone once it %s, with the same result as before',
    async (_, bad, expected) => {
      const { node, reader, batches, contracts } = await start();
      const first = await reader.read<unknown>(chainId, [...honest(60), bad()]);
      expect(first.at(-1)).toMatchObject({ ok: false, ...expected });
      expect(contracts).toEqual([1]);

      batches.length = 0;
      const before = node.count('eth_call');
      const [attack, ...others] = await Promise.all([
        reader.read<unknown>(chainId, [bad(), bad()]),
        reader.read(chainId, honest(100)),
        reader.read(chainId, honest(100, 5_000)),
      ]);
      expect(attack).toMatchObject([expected, expected]);
      for (const results of others) expect(results.every((result) => result.ok)).toBe(true);
      // A call for all the other reads, and another for the contract.
      expect(node.count('eth_call') - before).toBe(2);
      expect(batches.map(({ lane, reads }) => [lane, reads]).sort()).toEqual([
        ['foreground', 200],
        ['quarantine', 1],
      ]);
    },
  );

  it('misbehaving contract: leaves quarantine after a while, and returns if it still misbehaves', async () => {
    const { reader, batches, contracts } = await start(2_000);
    const readBoth = (): Promise<unknown> =>
      reader.read<unknown>(chainId, [...honest(20), createErc721OwnerRead(burner.address, 1n)]);
    await readBoth();
    await until('the contract leaves quarantine', () => contracts.length > 1);
    expect(contracts).toEqual([1, 0]);
    batches.length = 0;
    await readBoth();
    expect(batches.map(({ lane }) => lane)).toEqual(['foreground']);
    expect(contracts).toEqual([1, 0, 1]);
  });

  it('misbehaving contract: is read with limited concurrency, while other reads go on', async () => {
    const forward = forwardTo(fixture.chain.rpcUrl);
    let pending = 0;
    let maxPending = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let holding = false;
    const node = await fixture.node(
      onCalls(async (request, response) => {
        const [{ to }] = request.params as [{ to: string }];
        const slow = holding && to === burner.address.toLowerCase();
        if (slow) maxPending = Math.max(maxPending, (pending += 1));
        if (slow) await held;
        await forward(request, response);
        if (slow) pending -= 1;
      }),
    );
    const reader = fixture.reader([node.url], { requestTimeoutMs: 8_000 });
    await reader.read<unknown>(chainId, [...honest(2), createErc721OwnerRead(burner.address, 0n)]);
    holding = true;
    const ids = Array.from({ length: 12 }, (_, id) => createErc721OwnerRead(burner.address, BigInt(id)));
    const attack = reader.read(chainId, ids);
    const others = await reader.read(chainId, honest(50));
    expect(others.every((result) => result.ok)).toBe(true);
    release();
    expect((await attack).every((result) => !result.ok && result.code === 'out_of_gas')).toBe(true);
    expect(maxPending).toBe(4);
  });
});

it('misbehaving contract: is not reported because of a node that fails every call', async () => {
  const node = await fixture.node(
    onCalls((request, response) => {
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: request.id, error: { code: -32000, message: 'out of gas' } }),
      );
    }),
  );
  const contracts: number[] = [];
  const reader = fixture.reader([node.url], { onQuarantine: (report) => contracts.push(report.contracts) });
  await reader.read(chainId, honest(8));
  expect(contracts).toEqual([]);
});
