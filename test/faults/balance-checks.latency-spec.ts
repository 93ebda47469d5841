import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import type { Address } from 'viem';
import type { Client } from '../support/create-client.js';
import { rpcError } from '../support/hostile-node-fixture.js';
import { forwardTo } from '../support/hostile-node.js';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { seedCommunity } from '../token-gating/seeded-communities.js';
import { memberAddress, memberId } from '../support/seeded-communities.mjs';
import { listRecordedEvents, recordEvents } from '../token-gating/event-recorder.js';
import { metric, Product } from './product.js';
import { describeBackends } from '../support/needs.js';
import { databasePool } from '../support/database-pool.js';
import { expectUndisturbed, median } from './latency.js';

jest.setTimeout(150_000);

const MEMBERS = 40;
const everybody = Array.from({ length: MEMBERS }, (_, index) => memberId(index + 1));
const grants = everybody.map((user) => `role.granted ${user} rich`).sort();

interface Check {
  id: string;
  state: string;
  total: number;
  done: number;
  changed: number;
  failed: number;
}

describeBackends(BACKENDS, 'balance checks with queues on %s', (backend) => {
  let product: Product;
  let client: Client;
  let sql: pg.Pool;
  let communities = 0;

  beforeAll(async () => {
    product = await Product.start({
      backend,
      instances: 0,
      env: {
        BALANCE_CHECK_PAGE_READS: '2', // two members a page
        BALANCE_CHECK_COOLDOWN_MS: '0',
        BALANCE_CHECK_RETRY_AFTER_MS: '200',
        SWEEP_AFTER_MS: '3000',
        RPC_TIMEOUT_MS: '9000',
      },
    });
    client = await product.suite.createClient({ scopes: ['community:read', 'community:write'] });
    sql = databasePool(product.suite.databaseUrl);
    await recordEvents(sql);
    for (let member = 1; member <= MEMBERS; member += 1)
      await product.node.chain.setNativeBalance(memberAddress(member) as Address, 10n ** 18n);
  }, 120_000);

  afterEach(async () => {
    product.node.onCall = undefined;
    await product.endInstances();
  });

  afterAll(async () => {
    await sql.end();
    await product.stop();
  });

  const community = (): Promise<string> => {
    communities += 1;
    return seedCommunity(sql, {
      id: `community_${communities}`,
      members: MEMBERS,
      clientId: client.clientId,
    });
  };

  const requested = async (id: string): Promise<Check> => {
    const path = `/communities/${id}/balance-checks`;
    const answer = await product.request('POST', path, undefined, { 'X-API-Key': client.apiKey });
    expect(answer.status).toBe(202);
    return answer.body as Check;
  };

  /** Reads the database, because instances may be frozen or stopped. */
  const lookedUp = async ({ id }: Check): Promise<Check> => {
    const text = 'SELECT * FROM token_gating.balance_checks WHERE id = $1';
    const [check] = (await sql.query<Check>(text, [id])).rows;
    if (!check) throw new Error('The balance check is deleted');
    return check;
  };

  const finished = async (check: Check): Promise<Check> => {
    await until('the check is done', async () => (await lookedUp(check)).state === 'done', 90_000);
    return lookedUp(check);
  };

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
    const check = await requested(id);
    await until('a page is in progress', () => product.node.heldBack > 0);
    await until('pages are stored', async () => (await lookedUp(check)).done >= 10);
    expect((await lookedUp(check)).done).toBeLessThan(MEMBERS);
    return check;
  };

  /** Checks that every member was evaluated and every change published once. */
  const expectOneEffectEach = async (id: string, check: Check): Promise<void> => {
    const counts = { total: MEMBERS, done: MEMBERS, changed: MEMBERS, failed: 0 };
    expect(await finished(check)).toMatchObject(counts);
    expect(await holders(id)).toEqual([...everybody].sort());
    expect(await listRecordedEvents(sql, id)).toEqual(grants);
  };

  it('resume where they were when their worker is killed', async () => {
    const id = await community();
    const doomed = await product.addInstance();
    const check = await halfWay(id);
    const { done } = await lookedUp(check);
    await product.addInstance();
    await doomed.stop('SIGKILL');
    product.node.onCall = undefined;
    const asked = product.node.node.count('eth_call');
    product.node.release();
    await expectOneEffectEach(id, check);
    // Two members per page plus read-ahead: the check did not restart from the first page.
    expect(product.node.node.count('eth_call') - asked).toBeLessThanOrEqual((MEMBERS - done) / 2 + 5);
  });

  it('have one effect when a worker freezes for longer than its lock and resumes', async () => {
    const id = await community();
    const frozen = await product.addInstance();
    const check = await halfWay(id);
    const heir = await product.addInstance();
    frozen.process.kill('SIGSTOP');
    product.node.release();
    await finished(check);
    expect(await metric(heir, 'queue_jobs_stalled_total', 'queue="balance-checks"')).toBeGreaterThanOrEqual(
      1,
    );
    frozen.process.kill('SIGCONT');
    await sleep(1_000); // it goes on with what it had read
    await expectOneEffectEach(id, check);
    expect(await frozen.stop()).toBe(0);
  });

  it('move to another instance when theirs shuts down', async () => {
    const id = await community();
    const ending = await product.addInstance();
    const check = await halfWay(id);
    await product.addInstance();
    const exit = ending.stop('SIGTERM');
    await sleep(500);
    product.node.release();
    expect(await exit).toBe(0);
    await expectOneEffectEach(id, check);
  });

  it('neither revoke roles nor skip members while nodes are unavailable', async () => {
    const id = await community();
    await product.addInstance();
    await expectOneEffectEach(id, await requested(id));
    fromCall(8, () => {
      product.node.onCall = rpcError(-32000, 'header not found');
    });
    const check = await requested(id);
    await until('pages wait', async () => {
      const { rows } = await sql.query(
        'SELECT FROM token_gating.balance_checks WHERE id = $1 AND retries > 0',
        [check.id],
      );
      return rows.length > 0;
    });
    expect(await lookedUp(check)).toMatchObject({ state: 'running', failed: 0 });
    expect(await holders(id)).toHaveLength(MEMBERS);
    product.node.onCall = undefined;
    expect(await finished(check)).toMatchObject({ done: MEMBERS, changed: 0, failed: 0 });
    expect(await listRecordedEvents(sql, id)).toEqual(grants);
  });

  it('count members as failed when nodes stay unavailable, and keep their roles', async () => {
    const id = await community();
    await product.addInstance({ BALANCE_CHECK_RETRIES: '1' });
    await expectOneEffectEach(id, await requested(id));
    await sql.query(
      "UPDATE token_gating.communities SET next_check_at = now() + interval '40 hours' WHERE id = $1",
      [id],
    );
    fromCall(8, () => {
      product.node.onCall = rpcError(-32000, 'header not found');
    });
    const { done, changed, failed } = await finished(await requested(id));
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

  it('T64: are not delayed by those of another tenant whose contracts loop', async () => {
    const looping = (index: number): Address => `0x${(0x100b00 + index).toString(16).padStart(40, '0')}`;
    const loopers = Array.from({ length: 12 }, (_, index) => looping(index));
    const forward = forwardTo(product.node.chain.rpcUrl);
    product.node.onCall = (request, response) => {
      const call = JSON.stringify(request.params);
      return loopers.some((address) => call.includes(address.slice(2)))
        ? undefined
        : forward(request, response);
    };
    await product.addInstance({ RPC_TIMEOUT_MS: '800', BALANCE_CHECK_RETRIES: '0' });
    const victims: string[] = [];
    for (const tenant of ['victim_1', 'victim_2', 'victim_3']) {
      communities += 1;
      const id = `community_${communities}`;
      victims.push(await seedCommunity(sql, { id, members: 4, clientId: client.clientId }));
      await sql.query('UPDATE token_gating.communities SET owner_id = $2 WHERE id = $1', [id, tenant]);
    }
    /** The median duration of checks that are requested at once: those after them would find the attack over. */
    const measure = async (): Promise<number> => {
      const checks = await Promise.all(victims.map(requested));
      for (const check of checks) expect(await finished(check)).toMatchObject({ done: 4, failed: 0 });
      const { rows } = await sql.query<{ ms: number }>(
        `SELECT extract(epoch FROM finished_at - created_at)::float8 * 1000 AS ms
         FROM token_gating.balance_checks WHERE id = ANY($1)`,
        [checks.map(({ id }) => id)],
      );
      return median(rows.map(({ ms }) => ms));
    };
    await measure();
    const control = await measure();

    const attackers: string[] = [];
    for (const contractAddress of loopers) {
      communities += 1;
      const rule = { type: 'ERC20', chainId: 31337, contractAddress, minToken: '1', roleId: 'x' };
      const id = `community_${communities}`;
      attackers.push(await seedCommunity(sql, { id, members: 4, rules: [rule], clientId: client.clientId }));
    }
    await sql.query("UPDATE token_gating.communities SET owner_id = 'attacker' WHERE id = ANY($1)", [
      attackers,
    ]);
    const attacks = await Promise.all(attackers.map(requested));
    const attacked = await measure();
    const running = await Promise.all(attacks.map(lookedUp));
    await sql.query('DELETE FROM token_gating.communities WHERE id = ANY($1)', [attackers]);
    expect(running.filter(({ state }) => state === 'running').length).toBeGreaterThan(6);
    expectUndisturbed(attacked, control, 500);
  });

  it('wait for identity', async () => {
    const id = await community();
    await product.addInstance({ BALANCE_CHECK_RETRIES: '0', IDENTITY_URL: 'http://127.0.0.1:9' });
    const { rows } = await sql.query<Check>(
      `INSERT INTO token_gating.balance_checks (id, community_id, reason, rules_revision, total, next_run_at)
       VALUES (gen_random_uuid(), $1, 'requested', 1, $2, now()) RETURNING id`,
      [id, MEMBERS],
    );
    const [check] = rows;
    if (!check) throw new Error('There is no balance check');
    await sleep(3_000);
    expect(await lookedUp(check)).toMatchObject({ state: 'running', done: 0, failed: 0 });
    await product.endInstances();
    await product.addInstance();
    await expectOneEffectEach(id, check);
  });

  it('are accepted while the queue is unavailable, and run afterwards', async () => {
    const [id, other] = [await community(), await community()];
    await product.addInstance();
    const check = await halfWay(id);
    await product.queue.takeAway();
    product.node.onCall = undefined;
    product.node.release();
    const accepted = await requested(other);
    expect(accepted).toMatchObject({ state: 'running', done: 0 });
    await sleep(2_000);
    await product.queue.bringBack();
    await expectOneEffectEach(id, check);
    await expectOneEffectEach(other, accepted);
  });
});
