import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { OperationEvent } from '@app/dto';
import { operationEventsQueue } from '@app/queues';
import { MetricsService, type ServiceContext } from '@app/service';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Job } from 'bullmq';
import {
  countOperationEvents,
  deleteExpiredOperationCounts,
  EVENT_ID_DAYS,
  listOperationCounts,
} from '../../apps/analytics/src/operations/operation-counts.queries.js';
import { OperationEventsConsumer } from '../../apps/analytics/src/operations/operation-events.consumer.js';
import { IngestWorld } from './ingest-world.js';

const DAY_MS = 86_400_000;
let world: IngestWorld;

beforeAll(async () => {
  world = await IngestWorld.start();
});

afterAll(async () => {
  await world.stop();
});

const event = (clientId: string, state: 'signed' | 'final', ageMs = 0): OperationEvent => ({
  id: randomUUID(),
  at: new Date(Date.now() - ageMs).toISOString(),
  type: 'operation.changed',
  clientId,
  account: '0x1',
  chainId: 31_337,
  userOpHash: '0x2',
  kind: 'call',
  state,
  seq: 2,
});

const transaction = (clientId: string): OperationEvent => ({
  id: randomUUID(),
  at: new Date().toISOString(),
  type: 'transaction.changed',
  clientId,
  account: 'So11',
  network: 'SOL_DEVNET',
  state: 'rejected',
  seq: 2,
});

/** Counts the operations of a client application over all days. */
async function countsOf(clientId: string): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { chain, state, count } of await listOperationCounts(world.database, clientId, 1_000))
    sums[`${chain} ${state}`] = (sums[`${chain} ${state}`] ?? 0) + count;
  return sums;
}

describe('counts of operations', () => {
  it('counts of operations: have each event once, although overlapping batches come to two replicas at once', async () => {
    const clients = ['client_a', 'client_b'];
    const events = clients.flatMap((clientId) => [
      ...Array.from({ length: 150 }, () => event(clientId, 'signed')),
      ...Array.from({ length: 100 }, () => event(clientId, 'final')),
      transaction(clientId),
    ]);
    const batches = Array.from({ length: 12 }, (_, index) =>
      [...events.slice(index * 40), ...events.slice(0, 200)].sort(() => (index % 2 === 0 ? 1 : -1)),
    );
    const outcomes = await Promise.all(
      [events, ...batches].map((batch, index) =>
        countOperationEvents(world.databases[index % 2] ?? world.database, batch),
      ),
    );
    expect(outcomes.reduce((sum, { counted }) => sum + counted, 0)).toBe(events.length);
    for (const clientId of clients)
      expect(await countsOf(clientId)).toEqual({
        '31337 final': 100,
        '31337 signed': 150,
        'SOL_DEVNET rejected': 1,
      });
  });

  it('OperationEventsConsumer: counts the events of other clients although one event cannot be stored', async () => {
    const consumer = new OperationEventsConsumer(world.database, {
      metrics: new MetricsService('analytics'),
    } as ServiceContext);
    // PostgreSQL has no year 0.
    const poisoned = { ...event('client_poisoned', 'final'), at: '0000-01-01T00:00:00.000Z' };
    const victims = Array.from({ length: 20 }, () => event('client_victim', 'final'));
    const job = { timestamp: Date.now() } as Job;
    const payload = operationEventsQueue.payload.parse({
      version: 1,
      batchId: randomUUID(),
      events: [...victims.slice(9), poisoned, ...victims],
    });
    await expect(consumer.handle(payload, job)).rejects.toThrow();
    expect(await countsOf('client_victim')).toEqual({ '31337 final': 20 });
    expect(await countsOf('client_poisoned')).toEqual({});
  });

  it('counts of operations: leave out events whose ids are not kept any more, and those of the future', async () => {
    const late = event('client_late', 'final', EVENT_ID_DAYS * DAY_MS + 1_000);
    const early = event('client_late', 'final', -10 * 60_000);
    const kept = event('client_late', 'final', (EVENT_ID_DAYS - 1) * DAY_MS);
    const outcome = await countOperationEvents(world.database, [late, kept, early]);
    expect(outcome).toEqual({ counted: 1, dropped: 2 });
    expect(await countsOf('client_late')).toEqual({ '31337 final': 1 });
  });

  it('counts of operations: are deleted after the retention time, and ids of events after they cannot come again', async () => {
    const old = event('client_old', 'final', (EVENT_ID_DAYS - 1) * DAY_MS);
    await countOperationEvents(world.database, [old, event('client_old', 'signed')]);
    await world.database.query(
      "UPDATE analytics.counted_operation_events SET at = at - interval '2 days' WHERE id = $1",
      [old.id],
    );
    expect(await deleteExpiredOperationCounts(world.database, { limit: 1, retentionDays: 10 })).toBe(true);
    while (await deleteExpiredOperationCounts(world.database, { limit: 1, retentionDays: 10 }));
    expect(await countsOf('client_old')).toEqual({ '31337 signed': 1 });
    expect(
      await world.database.query('SELECT id FROM analytics.counted_operation_events WHERE id = $1', [old.id]),
    ).toEqual([]);
  });
});
