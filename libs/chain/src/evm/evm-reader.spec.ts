import { describe, expect, it } from '@jest/globals';
import type { ReadCall } from '../reads/evm/contract-read.js';
import type { ReadBatcher } from '../batch/read-batcher.js';
import { createChainReader } from './evm-reader.js';
import type { EthCallClient } from '../call/evm/eth-call-client.js';
import { RpcNodeError } from '../node/rpc-node-error.js';
import type { ReadGroup } from '../batch/fair-read-queue.js';

const bad = '0x00000000000000000000000000000000000000bb';
const good = '0x00000000000000000000000000000000000000aa';
const word = '0'.repeat(64);

/** A chain with a contract that exhausts the gas of every batch, and of its own call. */
const badContractClient: EthCallClient = {
  aggregate: (reads) => {
    const gasSufficient = reads.every(({ to }) => to !== bad);
    const results = reads.map(({ to }) => ({ success: to !== bad, data: to === bad ? '' : word }));
    return Promise.resolve({ results, gasSufficient, blockNumber: 1n });
  },
  call: ({ to }) =>
    to === bad ? Promise.reject(new RpcNodeError('out_of_gas', 'no gas')) : Promise.resolve(word),
  runInitCode: () => Promise.reject(new Error('no read needs it')),
  hasGasSentinel: () => Promise.resolve(true),
};

function createReader(
  ethCallClient: EthCallClient,
  onQuarantine: (contracts: number) => void = () => undefined,
  maxBatchSize = 500,
): ReadBatcher<ReadCall> {
  return createChainReader({
    ethCallClient,
    foreground: { maxBatchSize, maxInFlight: 8, batchWindowMs: 8, budgetMs: 10_000 },
    cacheTtlMs: 0,
    quarantineMs: 60_000,
    onBatch: () => undefined,
    onCacheHits: () => undefined,
    onQuarantine,
  });
}

async function createWithQuarantine(): Promise<ReadBatcher<ReadCall>> {
  let quarantined = 0;
  const reader = createReader(badContractClient, (contracts) => (quarantined = contracts));
  await reader.read([createCall(bad, 0), createCall(good, 0)], { lane: 'foreground' }).complete;
  expect(quarantined).toBe(1);
  return reader;
}

const createCall = (to: ReadCall['to'], id: number): ReadCall => ({ to, data: String(id) });
const createCalls = (to: ReadCall['to'], count: number): ReadCall[] =>
  Array.from({ length: count }, (_, id) => createCall(to, id));

async function expectAllSettled(...groups: ReadGroup[]): Promise<void> {
  await Promise.all(groups.map(({ complete }) => complete));
  for (const group of groups) {
    expect(group.results).not.toContain(undefined);
    expect(group.pendingCount).toBe(0);
  }
}

describe('more reads of a quarantined contract than fit into a batch', () => {
  it.each<[string, ReadCall[][]]>([
    ['twice by one caller', [[...createCalls(bad, 600), ...createCalls(bad, 600)]]],
    ['by two callers', [createCalls(bad, 1_200), createCalls(bad, 1_200)]],
    [
      'along with another contract',
      [[...createCalls(bad, 700), ...createCalls(good, 700)], createCalls(bad, 700)],
    ],
  ])(
    'more reads of a quarantined contract than fit into a batch: get one result each when they are read %s',
    async (_, wanted) => {
      for (const lane of ['foreground', 'background'] as const) {
        const reader = await createWithQuarantine();
        await expectAllSettled(...wanted.map((reads) => reader.read(reads, { lane })));
        reader.close();
      }
    },
  );
});

describe('more reads than may wait', () => {
  it('more reads than may wait: fail with a transient error, but a small group is still accepted', async () => {
    const reader = await createWithQuarantine();
    const large = Array.from({ length: 11 }, () =>
      reader.read(createCalls(good, 20_000), { lane: 'foreground' }),
    );
    const small = reader.read(createCalls(good, 2), { lane: 'foreground' });
    await expectAllSettled(...large, small);
    const failed = [...large, small].map(
      ({ results }) => results.filter((result) => result?.kind === 'failed').length,
    );
    expect(failed).toEqual([...Array<number>(10).fill(0), 20_000, 0]);
    expect(large[10]?.results[0]).toMatchObject({ failure: { code: 'unavailable', permanent: false } });
    reader.close();
  });
});

describe('reads that fail without a reason', () => {
  it('reads that fail without a reason: are re-read one by one up to a limit per batch; the others fail with a transient error', async () => {
    let singleCalls = 0;
    const failingClient: EthCallClient = {
      ...badContractClient,
      aggregate: (reads) => {
        const results = reads.map(() => ({ success: false, data: '' }));
        return Promise.resolve({ results, gasSufficient: true, blockNumber: 1n });
      },
      call: () => {
        singleCalls += 1;
        return Promise.reject(new RpcNodeError('reverted', 'it reverts'));
      },
    };
    const reader = createReader(failingClient, undefined, 600);
    const group = reader.read(createCalls(good, 600), { lane: 'foreground' });
    await expectAllSettled(group);
    expect(singleCalls).toBe(500);
    expect(group.results.filter((result) => result?.kind === 'reverted')).toHaveLength(500);
    expect(group.results.at(-1)).toMatchObject({ failure: { code: 'unavailable', permanent: false } });
    reader.close();
  });
});
