import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { forwardTo } from '../support/hostile-node.js';
import { describeBackends } from '../support/needs.js';
import { BACKENDS } from '../support/queue-backend.js';
import { BalanceCheckWorld } from './balance-check-world.js';
import { expectUndisturbed, median } from './latency.js';

describeBackends(BACKENDS, 'balance checks with queues on %s', (backend) => {
  let world: BalanceCheckWorld;
  beforeAll(async () => {
    world = await BalanceCheckWorld.start(backend);
  });

  afterAll(async () => {
    world.reset();
    await world.stop();
  });

  it('T64: balance checks: are not delayed by those of another tenant whose contracts loop', async () => {
    const { product, sql } = world;
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
      const id = await world.addCommunity({ members: 4 });
      victims.push(id);
      await sql.query('UPDATE token_gating.communities SET owner_id = $2 WHERE id = $1', [id, tenant]);
    }
    /** The median duration of checks that are requested at once: those after them would find the attack over. */
    const measure = async (): Promise<number> => {
      const checks = await Promise.all(victims.map((id) => world.request(id)));
      for (const check of checks) expect(await world.finish(check)).toMatchObject({ done: 4, failed: 0 });
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
      const rule = { type: 'ERC20', chainId: 31337, contractAddress, minToken: '1', roleId: 'x' };
      attackers.push(await world.addCommunity({ members: 4, rules: [rule] }));
    }
    await sql.query("UPDATE token_gating.communities SET owner_id = 'attacker' WHERE id = ANY($1)", [
      attackers,
    ]);
    const attacks = await Promise.all(attackers.map((id) => world.request(id)));
    const attacked = await measure();
    const running = await Promise.all(attacks.map((check) => world.lookUp(check)));
    await sql.query('DELETE FROM token_gating.communities WHERE id = ANY($1)', [attackers]);
    expect(running.filter(({ state }) => state === 'running').length).toBeGreaterThan(6);
    expectUndisturbed(attacked, control, 500);
  });
});
