import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { metric, Product } from './product.js';
import { describeBackends } from '../support/needs.js';

jest.setTimeout(120_000);

describeBackends(BACKENDS, 'with queues on %s', (backend) => {
  let product: Product;

  beforeAll(async () => {
    // The job exhausts its attempts long before the sweeper considers it lost.
    product = await Product.start({ backend, env: { QUEUE_BACKOFF_MS: '5', SWEEP_AFTER_MS: '20000' } });
  });

  afterAll(() => product.stop());

  it('T12: a check that can never run exhausts its attempts, is counted as failed, and blocks no other', async () => {
    const [app] = product.instances;
    if (!app) throw new Error('no instance');
    const failed = () => metric(app, 'queue_jobs', 'queue="check-roles",state="failed"');
    const attempts = () => metric(app, 'queue_jobs_processed_total', 'queue="check-roles",outcome="failed"');
    const poison = randomUUID();
    // Not a valid stored request; a row of a later version may look like this.
    await product.sql(
      `INSERT INTO token_gating.checks (id, client_id, request_hash, request, reply, next_run_at, expires_at)
       VALUES ($1, $2, '', '{"account":7,"rules":"none"}', false, now(), now() + interval '1 hour')`,
      [poison, product.client.clientId],
    );
    await until('attempted', async () => (await attempts()) > 0);
    const healthy = await product.calledBack(20);
    await until('failed', async () => (await failed()) === 1);
    expect(await attempts()).toBeGreaterThan(3);
    for (const id of healthy) expect(await product.result(id)).toEqual(product.granted(id));
    await until('delivered', () => product.areDelivered(healthy));
    expect(app.process.exitCode).toBeNull();
  });
});
