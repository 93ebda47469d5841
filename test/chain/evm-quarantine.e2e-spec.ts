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

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const honest = (count: number, from = 500): ContractRead<bigint>[] =>
  Array.from({ length: count }, (_, i) =>
    createErc20BalanceRead(fixture.erc20.address, `0x${(from + i).toString(16).padStart(40, '0')}`),
  );

interface Quarantined {
  node: HostileNode;
  reader: EvmReader;
  batches: BatchReport[];
  contracts: number[];
}

async function start(quarantineMs = 60_000): Promise<Quarantined> {
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

const { chainId } = { chainId: 31_337 };

describe('a contract that hurts others', () => {
  it.each<[string, () => ContractRead<unknown>, object]>([
    [
      'burns the gas',
      () => createErc721OwnerRead(burner.address, 1n),
      { code: 'out_of_gas', permanent: true },
    ],
    [
      'floods the answer',
      () => createErc20BalanceRead(flooder.address, holder),
      { code: 'malformed_answer', permanent: true },
    ],
  ])('is read by itself once it %s, and what it says is judged as before', async (_, bad, verdict) => {
    const { node, reader, batches, contracts } = await start();
    const first = await reader.read<unknown>(chainId, [...honest(60), bad()]);
    expect(first.at(-1)).toMatchObject({ ok: false, ...verdict });
    expect(contracts).toEqual([1]);

    batches.length = 0;
    const before = node.count('eth_call');
    const [attack, ...neighbours] = await Promise.all([
      reader.read<unknown>(chainId, [bad(), bad()]),
      reader.read(chainId, honest(100)),
      reader.read(chainId, honest(100, 5_000)),
    ]);
    expect(attack).toMatchObject([verdict, verdict]);
    for (const outcomes of neighbours) expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
    // One call for all the neighbours, one for the contract.
    expect(node.count('eth_call') - before).toBe(2);
    expect(batches.map(({ lane, reads }) => [lane, reads]).sort()).toEqual([
      ['foreground', 200],
      ['quarantine', 1],
    ]);
  });

  it('leaves after a while, and comes back when it has not changed', async () => {
    const { reader, batches, contracts } = await start(150);
    const both = (): Promise<unknown> =>
      reader.read<unknown>(chainId, [...honest(20), createErc721OwnerRead(burner.address, 1n)]);
    await both();
    await sleep(400);
    expect(contracts).toEqual([1, 0]);
    batches.length = 0;
    await both();
    expect(batches.map(({ lane }) => lane)).toEqual(['foreground']);
    expect(contracts).toEqual([1, 0, 1]);
  });

  it('is read a few at a time, while others are answered', async () => {
    const forward = forwardTo(fixture.chain.rpcUrl);
    let underWay = 0;
    let most = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let holding = false;
    const node = await fixture.node(
      onCalls(async (request, response) => {
        const [{ to }] = request.params as [{ to: string }];
        const slow = holding && to === burner.address.toLowerCase();
        if (slow) most = Math.max(most, (underWay += 1));
        if (slow) await held;
        await forward(request, response);
        if (slow) underWay -= 1;
      }),
    );
    const reader = fixture.reader([node.url], { requestTimeoutMs: 8_000 });
    await reader.read<unknown>(chainId, [...honest(2), createErc721OwnerRead(burner.address, 0n)]);
    holding = true;
    const ids = Array.from({ length: 12 }, (_, id) => createErc721OwnerRead(burner.address, BigInt(id)));
    const attack = reader.read(chainId, ids);
    const neighbours = await reader.read(chainId, honest(50));
    expect(neighbours.every((outcome) => outcome.ok)).toBe(true);
    release();
    expect((await attack).every((outcome) => !outcome.ok && outcome.code === 'out_of_gas')).toBe(true);
    expect(most).toBe(4);
  });
});

it('is not accused by a node that fails at everything', async () => {
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
