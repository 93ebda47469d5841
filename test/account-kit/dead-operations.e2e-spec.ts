import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import {
  encodeHandleOps,
  type SignedUserOperation,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { forwardTo, HostileNode, withHugeReceipts } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, RECIPIENT, type StoredOperation } from './executor-world.js';

const CONFIRMATIONS = 12;
/** Fees above what an account without funds can pay. */
const UNPAID = { maxFeePerGas: 4n * 10n ** 9n };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
let world: ExecutorWorld;

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterEach(() => world.stopApps());

afterAll(() => world.stop());

/** Executes an operation without account-kit. */
async function executeElsewhere(operation: SignedUserOperation): Promise<void> {
  const hash = await world.chain.client.sendTransaction({
    to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
    data: encodeHandleOps('0.8', [operation], RECIPIENT),
  });
  await world.chain.client.waitForTransactionReceipt({ hash });
}

async function untilRefused(operation: StoredOperation): Promise<void> {
  await until('the operation failed its simulation', async () => {
    const [row] = await world.rows([operation.id]);
    return String(row?.['reason']).startsWith('AA21');
  });
}

/** Stores an operation whose sponsor's signature ends too soon to be sent, and its successor in the lane. */
async function storeExpiring(): Promise<[StoredOperation, StoredOperation]> {
  const owner = await world.fundedOwner();
  const validUntil = new Date(Date.now() + MINUTE_MS);
  const [expiring, later] = await world.store(
    await world.sign(owner, [pay(1n)], { validUntil }),
    await world.sign(owner, [pay(1n)], { sequence: 1n }),
  );
  if (!expiring || !later) throw new Error('nothing was stored');
  return [expiring, later];
}

const expire = ({ id }: StoredOperation) =>
  world.pool.query(
    `UPDATE account_kit.user_operations SET valid_until = now() - interval '1 hour' WHERE id = $1`,
    [id],
  );

/** The signer refuses what has another root than it. */
const setKeyRoot = ({ owner }: StoredOperation, root: string) =>
  world.pool.query('UPDATE account_kit.smart_accounts SET key_root_id = $2 WHERE evm_address = $1', [
    owner.address,
    root,
  ]);

/** Executes an operation of another tenant. */
async function executeOfAnother(): Promise<void> {
  const [operation] = await world.store(await world.sign(await world.fundedOwner()));
  if (!operation) throw new Error('nothing was stored');
  await world.pool.query(`UPDATE account_kit.user_operations SET client_id = 'another' WHERE id = $1`, [
    operation.id,
  ]);
  await world.untilState('included', [operation]);
}

async function mineAndLook(): Promise<void> {
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await world.chain.client.mine({ blocks: 1 });
}

describe('a dead operation that cannot be settled', () => {
  afterEach(() => world.pool.query('DELETE FROM account_kit.freezes'));

  it.each([
    ['account', `(SELECT account_id::text FROM account_kit.user_operations WHERE id = $1)`],
    ['application', `'client'`],
  ])(
    'DeadOperationTracker: frees the lane of an expired operation of a frozen %s after the freeze, and sends operations of others meanwhile',
    async (scope, subject) => {
      await world.sharedApp();
      const [expiring, later] = await storeExpiring();
      await world.pool.query(
        `INSERT INTO account_kit.freezes (scope, subject, reason)
         SELECT '${scope}', ${subject}, 'test' WHERE $1::uuid IS NOT NULL`,
        [expiring.id],
      );
      await expire(expiring);
      await mineAndLook();
      await executeOfAnother();
      await mineAndLook();
      await executeOfAnother();
      expect((await world.rows([expiring.id, later.id])).map(({ state }) => state)).toEqual([
        'expired',
        'signed',
      ]);
      await world.pool.query('DELETE FROM account_kit.freezes');
      await world.chain.client.mine({ blocks: 1 });
      await world.untilState('included', [later]);
    },
  );

  it('DeadOperationTracker: sends operations of others while the signer refuses the key root of an account with an expired operation', async () => {
    const app = await world.sharedApp();
    const [expiring, later] = await storeExpiring();
    const { rows } = await world.pool.query<{ root: string }>(
      'SELECT DISTINCT key_root_id AS root FROM account_kit.smart_accounts',
    );
    await setKeyRoot(expiring, 'local:removed');
    await expire(expiring);
    await mineAndLook();
    await executeOfAnother();
    await mineAndLook();
    await executeOfAnother();
    await until('the refusal is logged', () =>
      app.logLines.some((line) => line.includes('the key root local:removed')),
    );
    await setKeyRoot(expiring, rows[0]?.root ?? '');
    await until('the lane goes on', async () => {
      await world.chain.client.mine({ blocks: 1 });
      const states = (await world.rows([expiring.id, later.id])).map(({ state }) => state);
      return states.join() === 'expired,included';
    });
  });
});

describe('an operation that can never be executed', () => {
  it('operation that can never be executed: is rejected when its nonce is used at the confirmation depth, and not before', async () => {
    await world.sharedApp();
    const owner = world.createOwner();
    const [operation] = await world.store(await world.sign(owner, [pay(0n)], UNPAID));
    if (!operation) throw new Error('nothing was stored');
    await untilRefused(operation);
    // A payment that the account can afford, of the same nonce.
    const other = await world.sign(owner, [pay(0n)], { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    await executeElsewhere(other.operation);
    await world.chain.client.mine({ blocks: CONFIRMATIONS - 2 });
    expect((await world.rows([operation.id]))[0]).toMatchObject({ state: 'signed' });
    await world.chain.client.mine({ blocks: 1 });
    const [row] = await world.untilState('rejected', [operation]);
    expect(row).toMatchObject({ reason: 'another operation has used the nonce', success: null });
  });

  it('operation that can never be executed: is not sent when the signature of its sponsor ends soon', async () => {
    const validUntil = new Date(Date.now() + 4 * MINUTE_MS);
    const [ending, other] = await world.store(
      await world.sign(await world.fundedOwner(), [pay(1n)], { validUntil }),
      await world.sign(await world.fundedOwner(), [pay(1n)], {
        validUntil: new Date(Date.now() + 6 * MINUTE_MS),
      }),
    );
    if (!ending || !other) throw new Error('nothing was stored');
    await world.sharedApp();
    await world.untilState('included', [other]);
    expect((await world.rows([ending.id]))[0]).toMatchObject({ state: 'signed' });
  });

  it('operation that can never be executed: expires with the signature of its sponsor, and its lane goes on after a cancellation', async () => {
    const owner = await world.fundedOwner();
    const validUntil = new Date(Date.now() - HOUR_MS);
    const dead = await world.sign(owner, [pay(1n)], { validUntil });
    const [expiring, next] = await world.store(dead, await world.sign(owner, [pay(2n)], { sequence: 1n }));
    if (!expiring || !next) throw new Error('nothing was stored');
    const received = await world.chain.client.getBalance({ address: RECIPIENT });
    await world.sharedApp();
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    const [row] = await world.untilState('expired', [expiring]);
    expect(row).toMatchObject({ reason: 'the signature of the sponsor has ended' });
    await world.untilState('included', [next]);
    const { rows } = await world.pool.query(
      `SELECT state, success, nonce_sequence FROM account_kit.user_operations
       WHERE kind = 'cancellation' AND sender = $1`,
      [owner.address],
    );
    expect(rows).toEqual([{ state: 'included', success: true, nonce_sequence: '0' }]);
    // Whoever has the bytes of the dead one.
    await expect(executeElsewhere(dead.operation)).rejects.toThrow('AA10 sender already constructed');
    expect(await world.chain.client.getBalance({ address: RECIPIENT })).toBe(received + 2n);
  });

  it.each([
    { receipt: 'a receipt', behaviour: forwardTo, stored: expect.anything() },
    { receipt: 'a receipt that is too large to read', behaviour: withHugeReceipts, stored: null },
  ])(
    'operation that can never be executed: is not rejected when it was executed elsewhere, with $receipt',
    async ({ behaviour, stored }) => {
      const node = await HostileNode.start(behaviour(world.chain.rpcUrl));
      const app = await world.startApp();
      const owner = world.createOwner();
      const signed = await world.sign(owner, [pay(0n)], UNPAID);
      const [operation] = await world.store(signed);
      if (!operation) throw new Error('nothing was stored');
      await untilRefused(operation);
      await app.stop();
      await world.chain.setNativeBalance(owner.address, 10n ** 18n);
      await executeElsewhere(signed.operation);
      await world.chain.client.mine({ blocks: CONFIRMATIONS });
      await world.startApp({ [`RPC_URL_${world.chain.chainId}`]: node.url });
      const [row] = await world.untilState('included', [operation]);
      expect(row).toMatchObject({ success: true, receipt: stored });
      await world.chain.client.mine({ blocks: 1 });
      await world.untilState('final', [operation]);
      await world.stopApps();
      await node.stop();
    },
  );

  it('operation that can never be executed: leaves its nonce to a cancellation when it was rejected before it was signed', async () => {
    const owner = await world.fundedOwner();
    const app = await world.startApp();
    await world.untilState('included', await world.store(await world.sign(owner)));
    await app.stop();
    const [first, second, later] = await world.store(
      await world.sign(owner, [pay(1n)], { sequence: 1n }),
      await world.sign(owner, [pay(1n)], { sequence: 2n }),
      await world.sign(owner, [pay(2n)], { sequence: 3n }),
    );
    if (!first || !second || !later) throw new Error('nothing was stored');
    const unsigned = [first.id, second.id];
    await world.pool.query(
      `UPDATE account_kit.user_operations SET state = 'rejected', hash = NULL, signature = NULL WHERE id = ANY($1)`,
      [unsigned],
    );
    await world.startApp();
    await world.untilState('included', [later]);
    // A cancellation that a busy signer refused is replaced.
    const { rows } = await world.pool.query(
      `SELECT nonce_sequence, state FROM account_kit.user_operations
       WHERE kind = 'cancellation' AND sender = $1 AND hash IS NOT NULL ORDER BY nonce_sequence`,
      [owner.address],
    );
    expect(rows).toEqual([
      { nonce_sequence: '1', state: 'included' },
      { nonce_sequence: '2', state: 'included' },
    ]);
    expect((await world.rows(unsigned)).map(({ state }) => state)).toEqual(['rejected', 'rejected']);
  });
});
