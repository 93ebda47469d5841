import { setTimeout } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { createReadFailure } from '../reads/read-result.js';
import { type ReadBatch, ReadBatcher, type ReadBatcherOptions } from './read-batcher.js';

type BatchHandler = (batch: ReadBatch<string>) => Promise<void>;

/** A batcher of calls such as `target/1`. */
const createReader = (
  handlers: Pick<ReadBatcherOptions<string>, 'readTogether' | 'readAlone'>,
): ReadBatcher<string> =>
  new ReadBatcher({
    foreground: { maxBatchSize: 500, maxInFlight: 8, batchWindowMs: 8, budgetMs: 10_000 },
    cacheTtlMs: 0,
    quarantineMs: 60_000,
    toKey: (call) => call,
    toTarget: (call) => call.split('/')[0] ?? call,
    isScan: () => false,
    onBatch: () => undefined,
    onCacheHits: () => undefined,
    onQuarantine: () => undefined,
    ...handlers,
  });

const settleAll = ({ reads, settle }: ReadBatch<string>): void => {
  settle(
    reads,
    reads.map(() => ({ kind: 'data', data: '00' })),
  );
};

const createCalls = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `bad/${name}${index}`);

it('T303: ReadBatcher: reads of a tenant that fill the quarantine leave turns and room to another tenant', async () => {
  const order: string[] = [];
  const quarantineAll: BatchHandler = (batch) => {
    batch.quarantine('bad');
    settleAll(batch);
    return Promise.resolve();
  };
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const readAlone: BatchHandler = async (batch) => {
    await opened;
    order.push(...batch.reads.map(({ key }) => key));
    settleAll(batch);
  };
  const reader = createReader({ readTogether: quarantineAll, readAlone });
  await reader.read(['bad/first'], { lane: 'foreground' }).complete;

  const attacks = Array.from({ length: 40 }, (_, index) =>
    reader.read(createCalls(`attack${index}-`, 25), { lane: 'foreground', tenantId: 'attacker' }),
  );
  const victim = reader.read(['bad/victim'], { lane: 'foreground', tenantId: 'victim' });
  // Longer than the batch window, after which reads are moved to the quarantine. Further ones take the room of the three that are in flight.
  await setTimeout(20);
  attacks.push(reader.read(createCalls('more', 100), { lane: 'foreground', tenantId: 'attacker' }));
  await setTimeout(20);
  // Both wait for this one, and the latter has no room for it.
  const shared = ['victim', 'attacker'].map((tenantId) =>
    reader.read(['bad/shared'], { lane: 'foreground', tenantId }),
  );
  await setTimeout(20);
  open();
  await Promise.all([...attacks, victim, ...shared].map(({ complete }) => complete));

  expect(shared[0]?.results).toMatchObject([{ kind: 'data' }]);
  expect(victim.results).toMatchObject([{ kind: 'data' }]);
  expect(order.indexOf('bad/victim')).toBeLessThan(8);
  const refused = attacks.flatMap(({ results }) => results).filter((result) => result?.kind === 'failed');
  expect(refused).toHaveLength(40 * 25 + 100 - 512 - 3);
  expect(refused[0]).toMatchObject({
    failure: createReadFailure('unavailable', 'too many reads are waiting'),
  });
  reader.close();
});
