import { describe, expect, it } from '@jest/globals';
import { type ReadCall } from '../nodes/aggregate-request.js';
import { ChainReader } from './chain-reader.js';
import { type EthCallClient } from '../nodes/eth-call-client.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';
import { type ReadGroup } from '../../shared/read-group.js';

const bad = '0x00000000000000000000000000000000000000bb';
const good = '0x00000000000000000000000000000000000000aa';
const word = '0'.repeat(64);

/** A chain with a contract that burns the gas of every batch; alone it runs out of it. */
const calls: EthCallClient = {
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

function lanesOf(
  calls: EthCallClient,
  onQuarantine: (contracts: number) => void = () => undefined,
  maxBatchSize = 500,
): ChainReader {
  return new ChainReader({
    ethCallClient: calls,
    foreground: { maxBatchSize: maxBatchSize, maxInFlight: 8, batchWindowMs: 8, budgetMs: 10_000 },
    cacheTtlMs: 0,
    quarantineMs: 60_000,
    onBatch: () => undefined,
    onCacheHits: () => undefined,
    onQuarantine,
  });
}

async function startWithBadInQuarantine(): Promise<ChainReader> {
  let quarantined = 0;
  const lanes = lanesOf(calls, (contracts) => (quarantined = contracts));
  await lanes.read([callOf(bad, 0), callOf(good, 0)], 'foreground').complete;
  expect(quarantined).toBe(1);
  return lanes;
}

const callOf = (to: ReadCall['to'], id: number): ReadCall => ({ to, data: String(id) });
const idsOf = (to: ReadCall['to'], count: number): ReadCall[] =>
  Array.from({ length: count }, (_, id) => callOf(to, id));

async function settled(...groups: ReadGroup[]): Promise<void> {
  await Promise.all(groups.map(({ complete }) => complete));
  for (const group of groups) {
    expect(group.results).not.toContain(undefined);
    expect(group.pendingCount).toBe(0);
  }
}

describe('more reads of a contract in quarantine than fit a chunk', () => {
  it.each<[string, ReadCall[][]]>([
    ['by one who asks for each twice', [[...idsOf(bad, 600), ...idsOf(bad, 600)]]],
    ['by two who ask for the same', [idsOf(bad, 1_200), idsOf(bad, 1_200)]],
    ['and of an honest one', [[...idsOf(bad, 700), ...idsOf(good, 700)], idsOf(bad, 700)]],
  ])('are answered when wanted %s, each once', async (_, wanted) => {
    for (const lane of ['foreground', 'background'] as const) {
      const lanes = await startWithBadInQuarantine();
      await settled(...wanted.map((reads) => lanes.read(reads, lane)));
      lanes.close();
    }
  });
});

describe('more reads than can wait', () => {
  it('are turned away, for now; a small check still finds its place', async () => {
    const lanes = await startWithBadInQuarantine();
    const crowd = Array.from({ length: 11 }, () => lanes.read(idsOf(good, 20_000), 'foreground'));
    const small = lanes.read(idsOf(good, 2), 'foreground');
    await settled(...crowd, small);
    const failed = [...crowd, small].map(({ results }) => results.filter((a) => a?.kind === 'failed').length);
    expect(failed).toEqual([...Array<number>(10).fill(0), 20_000, 0]);
    expect(crowd[10]?.results[0]).toMatchObject({ failure: { code: 'unavailable', permanent: false } });
    lanes.close();
  });
});

describe('reads that fail without a word', () => {
  it('are asked again one by one, but not more of a chunk than is fair: the rest is answered later', async () => {
    let alone = 0;
    const wordless: EthCallClient = {
      ...calls,
      aggregate: (reads) => {
        const results = reads.map(() => ({ success: false, data: '' }));
        return Promise.resolve({ results, gasSufficient: true, blockNumber: 1n });
      },
      call: () => {
        alone += 1;
        return Promise.reject(new RpcNodeError('reverted', 'it reverts'));
      },
    };
    const lanes = lanesOf(wordless, undefined, 600);
    const group = lanes.read(idsOf(good, 600), 'foreground');
    await settled(group);
    expect(alone).toBe(500);
    expect(group.results.filter((answer) => answer?.kind === 'reverted')).toHaveLength(500);
    expect(group.results.at(-1)).toMatchObject({ failure: { code: 'unavailable', permanent: false } });
    lanes.close();
  });
});
