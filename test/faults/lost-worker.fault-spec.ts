import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { BACKENDS } from '../support/queue-backend.js';
import type { RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { metric, Product } from './product.js';
import { describeBackends } from '../support/needs.js';

const COUNT = 10;
const GRANTED = { id: 'rich', granted: true };

describeBackends(BACKENDS, 'with queues on %s', (backend) => {
  let product: Product;

  beforeAll(async () => {
    // A worker that a busy machine stops for a few seconds keeps its checks.
    const env = { RPC_TIMEOUT_MS: '10000', SHUTDOWN_DELAY_MS: '1000', QUEUE_LOCK_MS: '5000' };
    product = await Product.start({ backend, instances: 0, env });
  });

  // What survived a test is what the next one kills.
  afterEach(() => {
    product.reset();
  });
  afterAll(() => product.stop());

  /** Whether a check is active rather than delayed between two attempts. */
  const isUnderWay = async (seenBy: RunningApp): Promise<boolean> =>
    (await metric(seenBy, 'queue_jobs', 'queue="check-roles",state="active"')) > 0;

  /** Loads the time at which each check was due last: a check that has to be repeated is due again. */
  const dueTimes = async (ids: string[]): Promise<Map<string, string>> => {
    const rows = await product.sql<{ id: string; due: string }>(
      'SELECT id, next_run_at::text AS due FROM token_gating.checks WHERE id = ANY($1)',
      [ids],
    );
    return new Map(rows.map(({ id, due }) => [id, due]));
  };

  /** Checks that each check has one result and one delivery, with one delivery id at the receiver. */
  const expectOneEffectEach = async (ids: string[]): Promise<void> => {
    await product.untilDelivered(ids, 90_000);
    expect(await product.deliveriesOf(ids)).toHaveLength(ids.length);
    for (const id of ids) {
      expect(await product.result(id)).toEqual(product.granted(id));
      const seen = product.callbacks.of(id);
      expect(new Set(seen.map(({ deliveryId }) => deliveryId)).size).toBe(1);
      for (const { body } of seen) expect(JSON.parse(body.toString())).toMatchObject({ roles: [GRANTED] });
    }
  };

  it('T12: workers of token-gating: a check that can never run exhausts its attempts, is counted as failed, and blocks no other', async () => {
    // The job exhausts its attempts long before the sweeper considers it lost.
    const app = await product.addInstance({ QUEUE_BACKOFF_MS: '5' });
    const failed = () => metric(app, 'queue_jobs', 'queue="check-roles",state="failed"');
    const attempts = () => metric(app, 'queue_jobs_processed_total', 'queue="check-roles",outcome="failed"');
    const poison = randomUUID();
    // The row is no valid stored request; a row of a later version may look like this.
    await product.sql(
      `INSERT INTO token_gating.checks (id, client_id, request_hash, request, reply, next_run_at, expires_at)
       VALUES ($1, $2, '', '{"account":7,"rules":"none"}', false, now(), now() + interval '1 hour')`,
      [poison, product.client.clientId],
    );
    await until('attempted', async () => (await attempts()) > 0);
    const healthy = await product.calledBack(COUNT);
    await until('failed', async () => (await failed()) === 1);
    expect(await attempts()).toBeGreaterThan(3);
    await expectOneEffectEach(healthy);
    expect(app.process.exitCode).toBeNull();
    // Sweepers would start it again in the tests that follow.
    await product.sql('DELETE FROM token_gating.checks WHERE id = $1', [poison]);
  });

  it('T01: workers of token-gating: checks of a killed worker are taken over and have one effect', async () => {
    const doomed = await product.someInstance();
    product.node.hold();
    const ids = await product.calledBack(COUNT);
    await until('a check is in progress', () => product.node.heldBack > 0);
    const heir = await product.addInstance();
    await until('a check is still in progress', () => isUnderWay(heir));
    await doomed.stop('SIGKILL');
    product.node.release();
    await expectOneEffectEach(ids);
    expect(await metric(heir, 'queue_jobs_stalled_total', 'queue="check-roles"')).toBeGreaterThanOrEqual(1);
  });

  it('T01: workers of token-gating: deliveries of a killed worker are repeated with the same id', async () => {
    const doomed = await product.someInstance();
    product.callbacks.answer = () => undefined;
    // The concurrency of a receiver that has not responded yet.
    const ids = await product.calledBack(2);
    await until('a check is in progress', () => product.callbacks.seen.length === ids.length);
    await doomed.stop('SIGKILL');
    product.callbacks.acceptAll();
    await product.addInstance();
    await expectOneEffectEach(ids);
    for (const id of ids) expect(product.callbacks.of(id)).toHaveLength(2);
  });

  it('T02: workers of token-gating: a worker that shuts down finishes its checks, takes no new one, and exits 0', async () => {
    const ending = await product.someInstance();
    product.node.hold();
    const ids = await product.calledBack(COUNT);
    const dueAtFirst = await dueTimes(ids);
    await until('a check is in progress', () => product.node.heldBack > 0);
    const other = await product.addInstance();
    const exit = ending.stop('SIGTERM');
    await until('not ready', () => !product.isServing(ending));
    const asked = product.node.node.count('eth_call');
    const later = await product.calledBack(COUNT);
    await until('the other instance reads the chain', () => product.node.node.count('eth_call') > asked);
    product.node.release();
    expect(await exit).toBe(0);
    await expectOneEffectEach([...ids, ...later]);
    expect(await metric(other, 'queue_jobs_stalled_total')).toBe(0);
    // Either instance repeats checks if the other one took longer to start than reads may take.
    const due = await dueTimes(ids);
    const repeated = ids.filter((id) => due.get(id) !== dueAtFirst.get(id)).length;
    const labels = 'queue="check-roles",outcome="completed"';
    const completed = await metric(other, 'queue_jobs_processed_total', labels);
    expect(completed).toBeGreaterThanOrEqual(later.length);
    expect(completed).toBeLessThanOrEqual(later.length + repeated);
  });

  it('T13: workers of token-gating: a worker that freezes for longer than its lock and resumes has no second effect', async () => {
    const frozen = await product.someInstance();
    product.node.hold();
    const ids = await product.calledBack(COUNT);
    await until('a check is in progress', () => product.node.heldBack > 0);
    const helper = await product.addInstance();
    await until('a check is still in progress', () => isUnderWay(helper));
    frozen.process.kill('SIGSTOP');
    product.node.release();
    await product.untilDelivered(ids, 90_000);
    expect(await metric(helper, 'queue_jobs_stalled_total', 'queue="check-roles"')).toBeGreaterThanOrEqual(1);
    frozen.process.kill('SIGCONT');
    const more = await product.calledBack(COUNT);
    await expectOneEffectEach([...ids, ...more]);
    expect(product.callbacks.seen).toHaveLength(ids.length + more.length);
    expect(await frozen.stop()).toBe(0);
  });
});
