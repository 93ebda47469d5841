import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Address } from 'viem';
import { freePort } from '../../scripts/processes/ports.mjs';
import { foreignQueue, type ForeignQueue } from '../queues/foreign-queue.js';
import { databasePool } from '../support/database-pool.js';
import { LocalRedis } from '../support/local-redis.js';
import { describeBackends } from '../support/needs.js';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

const TARGET: Address = '0x0000000000000000000000000000000000015900';
const CHAIN_ID = 31_337;
/** The poll takes longer than a test waits: what is sent sooner was not found by polling. */
const POLL_MS = '60000';
/** The lease lasts longer than the test: it stays where it is. */
const LEASE_MS = '600000';

describeBackends(BACKENDS, 'the queue user-operations, over %s', (backend) => {
  let redis: LocalRedis | undefined;
  let kit: AccountKitSuite;
  let pool: pg.Pool;
  let queue: ForeignQueue;

  /** Requests reach an instance that has no lease of the executor; the other one has it, and sends. */
  beforeAll(async () => {
    redis = backend === 'redis' ? await LocalRedis.prepare() : undefined;
    await redis?.start();
    const env: Record<string, string> = redis ? { REDIS_URL: redis.url } : {};
    const port = String(await freePort());
    const settings = { ...env, EXECUTOR_LEASE_MS: LEASE_MS, ACCOUNT_KIT_URL: `http://127.0.0.1:${port}` };
    kit = await startAccountKitSuite(settings, { hasInstance: false });
    pool = databasePool(kit.suite.databaseUrl);
    await kit.suite.another('account-kit', { EXECUTOR_POLL_MS: POLL_MS });
    await until('the instance has the lease', async () => {
      const { rows } = await pool.query('SELECT FROM account_kit.chain_leases');
      return rows.length > 0;
    });
    await kit.suite.another('account-kit', { PORT: port });
    queue = foreignQueue({ ...env, QUEUE_DATABASE_URL: kit.suite.databaseUrl }, 'user-operations');
  });

  afterAll(async () => {
    await queue.close();
    await pool.end();
    await kit.stop();
    await redis?.stop();
  });

  async function submit(userId: string): Promise<string> {
    const headers = { 'X-ACCESS-TOKEN': kit.platforms.botToken(userId) };
    const { body: accounts } = await kit.call<{ evm: { address: Address }[] }>(
      '/accountkit/v2/platform/accounts?platform=chat',
      { headers },
    );
    await kit.chain.setNativeBalance(accounts.evm[0]?.address ?? '0x', 10n ** 18n);
    const { status, body } = await kit.call<{ userOperationHash: string }>(
      `/accountkit/v2/platform/evm/submitUserOperation?platform=chat&chainId=${CHAIN_ID}`,
      { method: 'POST', headers, body: { userOps: [{ target: TARGET, value: '1' }] } },
    );
    expect({ status, body }).toMatchObject({ status: 200 });
    return body.userOperationHash;
  }

  const find = async (hash: string) => {
    const { rows } = await pool.query<{ id: string; state: string }>(
      'SELECT id, state FROM account_kit.user_operations WHERE hash = $1',
      [hash],
    );
    return rows[0];
  };
  const untilSent = (hashes: readonly string[]) =>
    until('the operations are sent', async () => {
      const found = await Promise.all(hashes.map(find));
      return found.every((one) => one?.state !== 'signed');
    });

  it('queue user-operations: wakes the instance that sends, whichever signed', async () => {
    await untilSent(await Promise.all(['8201', '8202', '8203'].map(submit)));
    await untilSent([await submit('8204')]);
  });

  it('queue user-operations: moves ids, and jobs that come again or too late do no harm', async () => {
    await queue.queue.pause();
    const hash = await submit('8205');
    const operation = await find(hash);
    await until('there is a job', async () => (await queue.queue.getJobs(['waiting'])).length > 0);
    const [job] = await queue.queue.getJobs(['waiting']);
    const { data } = job as { data: { id: string } };
    expect(data).toEqual({ version: 1, id: expect.any(String), operationIds: [operation?.id] });
    await queue.queue.add('user-operations', data, { jobId: `repeated-${data.id}` });
    await queue.queue.resume();
    await untilSent([hash]);
    await queue.queue.add('user-operations', data, { jobId: `late-${data.id}` });
    await until('the queue is empty', async () => {
      const counts = await queue.queue.getJobCounts('waiting', 'active', 'delayed');
      return Object.values(counts).every((count) => count === 0);
    });
    const { rows } = await pool.query(
      'SELECT FROM account_kit.executor_transaction_operations WHERE operation_id = $1',
      [operation?.id],
    );
    expect(rows).toHaveLength(1);
  });
});
