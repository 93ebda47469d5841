import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Address } from 'viem';
import { rpcError } from '../support/hostile-node-fixture.js';
import { forwardTo } from '../support/hostile-node.js';
import { describeBackends } from '../support/needs.js';
import { BACKENDS } from '../support/queue-backend.js';
import { memberAddress, memberId } from '../support/seeded-communities.mjs';
import { until } from '../support/until.js';
import { listRecordedEvents, recordEvents } from '../token-gating/event-recorder.js';
import { BalanceCheckWorld, type Check } from './balance-check-world.js';
import { metric, type Product } from './product.js';

const MEMBERS = 40;
const everybody = Array.from({ length: MEMBERS }, (_, index) => memberId(index + 1));
const grants = everybody.map((user) => `role.granted ${user} rich`).sort();

describeBackends(BACKENDS, 'balance checks with queues on %s', (backend) => {
  let world: BalanceCheckWorld;
  let product: Product;
  let sql: pg.Pool;

  beforeAll(async () => {
    world = await BalanceCheckWorld.start(backend);
    ({ product, sql } = world);
    await recordEvents(sql);
    for (let member = 1; member <= MEMBERS; member += 1)
      await product.node.chain.setNativeBalance(memberAddress(member) as Address, 10n ** 18n);
  }, 120_000);

  afterEach(() => {
    world.reset();
  });

  afterAll(() => world.stop());

  const community = (): Promise<string> => world.addCommunity({ members: MEMBERS });

  const holders = async (id: string): Promise<string[]> => {
    const { rows } = await sql.query<{ user_id: string }>(
      'SELECT user_id FROM token_gating.role_assignments WHERE community_id = $1',
      [id],
    );
    return rows.map(({ user_id }) => user_id).sort();
  };

  /** Blocks node calls from the given one on. */
  const fromCall = (count: number, then: () => void): void => {
    const answer = forwardTo(product.node.chain.rpcUrl);
    let calls = 0;
    product.node.onCall = async (request, response) => {
      calls += 1;
      if (calls === count) then();
      await answer(request, response);
    };
  };

  /** Starts a check whose first pages are stored and whose next page waits for the node. */
  const halfWay = async (id: string): Promise<Check> => {
    fromCall(8, () => {
      product.node.hold();
    });
    const check = await world.request(id);
    await until('a page is in progress', () => product.node.heldBack > 0);
    await until('pages are stored', async () => (await world.lookUp(check)).done >= 10);
    expect((await world.lookUp(check)).done).toBeLessThan(MEMBERS);
    return check;
  };

  /** Checks that every member was evaluated and every change published once. */
  const expectOneEffectEach = async (id: string, check: Check): Promise<void> => {
    const counts = { total: MEMBERS, done: MEMBERS, changed: MEMBERS, failed: 0 };
    expect(await world.finish(check)).toMatchObject(counts);
    expect(await holders(id)).toEqual([...everybody].sort());
    expect(await listRecordedEvents(sql, id)).toEqual(grants);
  };

  it('balance checks: resume where they were when their worker is killed', async () => {
    const id = await community();
    const doomed = await product.someInstance();
    const check = await halfWay(id);
    const { done } = await world.lookUp(check);
    await product.addInstance();
    await doomed.stop('SIGKILL');
    product.node.onCall = undefined;
    const asked = product.node.node.count('eth_call');
    product.node.release();
    await expectOneEffectEach(id, check);
    // Two members per page plus read-ahead: the check did not restart from the first page.
    expect(product.node.node.count('eth_call') - asked).toBeLessThanOrEqual((MEMBERS - done) / 2 + 5);
  });

  it('balance checks: have one effect when a worker freezes for longer than its lock and resumes', async () => {
    const id = await community();
    const frozen = await product.someInstance();
    // A start may take longer than a read. It is stopped, so that the page is not its own.
    const heir = await product.addInstance();
    heir.process.kill('SIGSTOP');
    await until('the heir gets no requests', () => !product.isServing(heir));
    const check = await halfWay(id);
    frozen.process.kill('SIGSTOP');
    heir.process.kill('SIGCONT');
    product.node.release();
    await world.finish(check);
    expect(await metric(heir, 'queue_jobs_stalled_total', 'queue="balance-checks"')).toBeGreaterThanOrEqual(
      1,
    );
    frozen.process.kill('SIGCONT');
    await sleep(1_000); // it goes on with what it had read
    await expectOneEffectEach(id, check);
    expect(await frozen.stop()).toBe(0);
  });

  it('balance checks: move to another instance when theirs shuts down', async () => {
    const id = await community();
    const ending = await product.someInstance();
    const check = await halfWay(id);
    await product.addInstance();
    const exit = ending.stop('SIGTERM');
    await sleep(500);
    product.node.release();
    expect(await exit).toBe(0);
    await expectOneEffectEach(id, check);
  });

  it('balance checks: are accepted while the queue is unavailable, and run afterwards', async () => {
    const [id, other] = [await community(), await community()];
    await product.someInstance();
    const check = await halfWay(id);
    await product.queue.takeAway();
    product.node.onCall = undefined;
    product.node.release();
    const accepted = await world.request(other);
    expect(accepted).toMatchObject({ state: 'running', done: 0 });
    await sleep(2_000);
    await product.queue.bringBack();
    await expectOneEffectEach(id, check);
    await expectOneEffectEach(other, accepted);
  });

  // The same on any backend.
  if (backend !== 'postgres') return;

  it('balance checks: wait for identity', async () => {
    const id = await community();
    await product.endInstances();
    await product.addInstance({ BALANCE_CHECK_RETRIES: '0', IDENTITY_URL: 'http://127.0.0.1:9' });
    const { rows } = await sql.query<Check>(
      `INSERT INTO token_gating.balance_checks (id, community_id, reason, rules_revision, total, next_run_at)
       VALUES (gen_random_uuid(), $1, 'requested', 1, $2, now()) RETURNING id`,
      [id, MEMBERS],
    );
    const [check] = rows;
    if (!check) throw new Error('There is no balance check');
    await sleep(3_000);
    expect(await world.lookUp(check)).toMatchObject({ state: 'running', done: 0, failed: 0 });
    await product.endInstances();
    await product.addInstance();
    await expectOneEffectEach(id, check);
  });

  it('balance checks: neither revoke roles nor skip members while nodes are unavailable', async () => {
    const id = await community();
    await product.someInstance();
    await expectOneEffectEach(id, await world.request(id));
    fromCall(8, () => {
      product.node.onCall = rpcError(-32000, 'header not found');
    });
    const check = await world.request(id);
    await until('pages wait', async () => {
      const { rows } = await sql.query(
        'SELECT FROM token_gating.balance_checks WHERE id = $1 AND retries > 0',
        [check.id],
      );
      return rows.length > 0;
    });
    expect(await world.lookUp(check)).toMatchObject({ state: 'running', failed: 0 });
    expect(await holders(id)).toHaveLength(MEMBERS);
    product.node.onCall = undefined;
    expect(await world.finish(check)).toMatchObject({ done: MEMBERS, changed: 0, failed: 0 });
    expect(await listRecordedEvents(sql, id)).toEqual(grants);
  });

  it('balance checks: count members as failed when nodes stay unavailable, and keep their roles', async () => {
    const id = await community();
    await product.endInstances();
    await product.addInstance({ BALANCE_CHECK_RETRIES: '1' });
    await expectOneEffectEach(id, await world.request(id));
    await sql.query(
      "UPDATE token_gating.communities SET next_check_at = now() + interval '40 hours' WHERE id = $1",
      [id],
    );
    fromCall(8, () => {
      product.node.onCall = rpcError(-32000, 'header not found');
    });
    const { done, changed, failed } = await world.finish(await world.request(id));
    expect([done, changed]).toEqual([MEMBERS, 0]);
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(MEMBERS);
    expect(await holders(id)).toHaveLength(MEMBERS);
    expect(await listRecordedEvents(sql, id)).toEqual(grants);
    const { rows } = await sql.query(
      "SELECT FROM token_gating.communities WHERE id = $1 AND next_check_at < now() + interval '11 hours'",
      [id],
    );
    expect(rows).toHaveLength(1);
  });
});
