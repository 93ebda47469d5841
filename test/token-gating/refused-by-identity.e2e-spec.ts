import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { foreignQueue, type ForeignQueue } from '../queues/foreign-queue.js';
import type { RunningApp } from '../support/running-app.js';
import { memberId } from '../support/seeded-communities.mjs';
import { until } from '../support/until.js';
import { CheckWorld, userOf } from './check-world.js';
import { asUser, RolesWorld } from './roles-world.js';
import { seedCommunity } from './seeded-communities.js';
import { eoa } from './wallet-book.js';

/** Enqueues a check whose first counted failure is final. */
async function enqueueCheck(
  queue: ForeignQueue['queue'],
  communityId: string,
  userId: string,
): Promise<void> {
  const data = { version: 1, id: randomUUID(), communityId, userIds: [userId] };
  await queue.add('member-checks', data, { jobId: data.id, attempts: 1, removeOnComplete: true });
}

/** Serializes an error without its request id, which may contain any digits. */
function serializeError(body: unknown): string {
  const { error } = body as { error: { details: { requestId: string } } };
  expect(error.details.requestId).not.toBe('');
  return JSON.stringify(body).replace(error.details.requestId, '');
}

const countAttempts = async (queue: ForeignQueue['queue']): Promise<number> => {
  const [job] = await queue.getJobs(['delayed', 'active', 'failed']);
  return job?.attemptsStarted ?? 0;
};

describe('token-gating with a key that identity rejects', () => {
  let world: CheckWorld;
  let refused: RunningApp;
  let checks: ForeignQueue;
  const community = 'community_refused';
  const member = memberId(1);

  beforeAll(async () => {
    world = await CheckWorld.start();
    await world.app.stop();
    const unknownKey = makeSecrets(['token-gating']).signing['token-gating'];
    refused = await world.suite.another('token-gating', { INTERNAL_SIGNING_KEY: JSON.stringify(unknownKey) });
    checks = foreignQueue({ QUEUE_DATABASE_URL: world.suite.databaseUrl }, 'member-checks');
    await seedCommunity(world.sql, { id: community, members: 3 });
    await world.fund(1, 2n);
  }, 120_000);

  afterAll(async () => {
    await checks.close();
    await world.stop();
  });

  it('token-gating with a key that identity rejects: answers 503 without the reason', async () => {
    for (const [method, path] of [
      ['GET', `/access-control/${community}/${member}/roles`],
      ['POST', `/communities/${community}/members`],
    ] as const) {
      const answer = await world.request(userOf(member), method, path, refused);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(serializeError(answer.body)).not.toMatch(/401|internal|no_principal|gateway|127\.0\.0\.1/);
    }
  });

  const countLeft = async (table: string) => {
    const sql = `SELECT count(*)::int AS count FROM token_gating.${table} WHERE community_id LIKE 'deleted_%'`;
    const [row] = await world.query<{ count: number }>(sql);
    return row?.count;
  };

  it('T79: token-gating with a key that identity rejects: purges the rows of all deleted communities, and postpones each whose wallets cannot be removed', async () => {
    for (const id of ['deleted_1', 'deleted_2', 'deleted_3']) {
      await seedCommunity(world.sql, { id, members: 3 });
      await world.query(
        `WITH gone AS (DELETE FROM token_gating.communities WHERE id = $1 RETURNING id)
         INSERT INTO token_gating.deleted_communities (community_id) SELECT id FROM gone`,
        [id],
      );
    }
    await until('all members are purged', async () => (await countLeft('community_members')) === 0);
    expect(await countLeft('deleted_communities')).toBe(3);
  });

  it('token-gating with a key that identity rejects: logs each rejected path once, and delays checks until a valid instance runs', async () => {
    await enqueueCheck(checks.queue, community, member);
    await until(
      'it was attempted more often than it may fail',
      async () => (await countAttempts(checks.queue)) > 2,
    );
    expect(await checks.queue.getJobCounts('failed')).toEqual({ failed: 0 });
    const rejections = refused.logLines.filter((line) => line.includes('identity rejected the request'));
    const paths = rejections.map(
      (line) => (JSON.parse(line) as { path: string; status: number; level: string }).path,
    );
    expect(paths).toContain('/internal/wallets');
    expect(new Set(paths).size).toBe(paths.length);

    await refused.stop();
    await world.suite.another('token-gating');
    await until('the role is stored', async () => {
      const roles = await world.query<{ user_id: string }>(
        'SELECT user_id FROM token_gating.role_assignments WHERE community_id = $1',
        [community],
      );
      return roles.length === 1 && roles[0]?.user_id === member;
    });
    await world.query('UPDATE token_gating.deleted_communities SET purge_at = now()');
    await until('deleted communities are purged', async () => (await countLeft('deleted_communities')) === 0);
  });
});

describe('a request that identity answers with 400', () => {
  let world: RolesWorld;

  beforeAll(async () => {
    world = await RolesWorld.start();
  });

  afterAll(() => world.stop());

  it('request that identity answers with 400: is a 500 without the reason and a failed job that is not retried', async () => {
    const checks = world.queue('member-checks');
    const rules = [world.holds('1', { roleId: 'whale' })];
    const id = await world.communities.create({ roles: ['whale'], rules, members: ['user_1'] });
    world.book.set('user_1', eoa(await world.wallet(10n ** 18n)));
    await world.communities.assign(id, 'user_1', 'whale');
    world.book.refusal = 400;
    const { status, body } = await world.roles(id, 'user_1', asUser('user_1'));
    expect([status, body]).toMatchObject([
      500,
      { error: { details: { code: 'internal_error' }, stack: '' } },
    ]);
    expect(serializeError(body)).not.toMatch(/400|\/internal\/|SECRET/);
    await enqueueCheck(checks, id, 'user_1');
    await until('it has failed', async () => (await checks.getJobCounts('failed'))['failed'] === 1);
    expect(await countAttempts(checks)).toBe(1);
    expect(await world.communities.assignments(id)).toEqual(['user_1 whale']);
    await until('the failure is logged', () =>
      world.gating.app.logLines.some((line) => line.includes('job failed permanently')),
    );
  });
});
