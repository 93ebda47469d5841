import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import type { Scope, TokenGatingExplanation } from '@app/dto';
import { getAddress } from 'viem';
import { receiver } from '../support/receiver.js';
import { until } from '../support/until.js';
import type { Answer } from './gating-app.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
const [owner, application] = ['user_owner', 'client_1'];
const client = asClient(application);

let world: RolesWorld;
let holder: string;
let wallet: string;

beforeAll(async () => {
  world = await RolesWorld.start({ CALLBACK_ALLOW_CIDRS: '127.0.0.0/8', SWEEP_INTERVAL_MS: '200' });
  holder = await world.wallet(2n * WHOLE);
  wallet = await world.wallet(WHOLE);
  world.book.set(owner, eoa(wallet));
  world.book.grant(owner, application);
});

afterAll(async () => {
  await world.stop();
});

/** A user by a credential of the client application. */
const through = (userId: string, scope: Scope = 'user:wallet:read'): Principal => ({
  ...client,
  ...asUser(userId, scope),
});

const request = (account: string, as: Principal, more: object = {}, headers: Record<string, string> = {}) =>
  world.gating.check(
    { account, rules: [{ roleId: 'whale', not: world.holds('5') }], async: true, explain: true, ...more },
    headers,
    as,
  );

const poll = (requestId: string, as: Principal) =>
  world.gating.request('GET', `/access-control/check-roles/responses/${requestId}`, undefined, {}, as);

const idOf = ({ body }: Answer) => (body as { requestId: string }).requestId;

/** The id of a check that is finished. */
async function finished(asked: Answer, as: Principal): Promise<string> {
  expect(asked.status).toBe(200);
  const id = idOf(asked);
  await until('the check is finished', async () => (await poll(id, as)).status === 200);
  return id;
}

const explanationsOf = ({ body }: Answer) =>
  (body as { explanations?: TokenGatingExplanation[] }).explanations;

describe('asynchronous checks with explain', () => {
  it('T315: asynchronous checks with explain: explain to the caller that asked, and to nobody else', async () => {
    const id = await finished(await request(holder, client), client);
    const mine = await poll(id, client);
    expect(mine.body).toMatchObject({
      requestId: id,
      roles: [{ id: 'whale', granted: true }],
      errors: [],
      explanations: [
        {
          ...{ rule: 0, path: 'not', roleId: 'whale', granted: false, code: 'below_minimum', held: '2' },
          wallets: [{ account: getAddress(holder), held: '2' }],
        },
      ],
    });
    expect(mine.headers.get('Cache-Control')).toBe('private, no-store');
    expect(mine.headers.get('ETag')).toBeNull();
    for (const other of [through(owner), through('user_other')]) {
      const { status, body } = await poll(id, other);
      expect([status, body]).toEqual([
        200,
        { requestId: id, roles: [{ id: 'whale', granted: true }], errors: [] },
      ]);
    }
    expect((await poll(id, asClient('client_2'))).status).toBe(404);

    const ofUser = await finished(await request(owner, through(owner)), through(owner));
    expect(explanationsOf(await poll(ofUser, through(owner)))).toMatchObject([
      { held: '1', wallets: [{ account: getAddress(wallet), held: '1' }] },
    ]);
    // The application's own key reads the result of its user, and not why.
    const plain = await poll(ofUser, client);
    expect(Object.keys(plain.body as object)).toEqual(['requestId', 'roles', 'errors']);
    expect(plain.headers.get('Cache-Control')).not.toBe('private, no-store');
    expect((await poll(ofUser, through('user_other'))).status).toBe(404);
  });

  it('T315: asynchronous checks with explain: judge scope and grant when the result is read', async () => {
    const hides = async (id: string, as: Principal) => {
      const answer = await poll(id, as);
      expect(explanationsOf(answer)).toMatchObject([{ code: 'below_minimum', granted: false }]);
      const text = JSON.stringify(answer.body).toLowerCase();
      for (const secret of [wallet, '"held"', '"wallets"']) expect(text).not.toContain(secret);
    };
    const byUser = await finished(await request(owner, through(owner)), through(owner));
    await hides(byUser, through(owner, 'token-gating'));
    const byClient = await finished(await request(owner, client), client);
    expect(explanationsOf(await poll(byClient, client))).toMatchObject([{ held: '1' }]);
    const bringBack = world.breakIdentity();
    const away = await poll(byClient, client);
    bringBack();
    expect(away).toMatchObject({
      status: 503,
      body: { error: { details: { code: 'identity_unavailable' } } },
    });
    world.book.grant(owner, application, false);
    await hides(byClient, client);
    world.book.grant(owner, application);
    expect(explanationsOf(await poll(byClient, client))).toMatchObject([{ held: '1' }]);
  });

  it('T315: asynchronous checks with explain: send no explanation to a callback, and store none in the result', async () => {
    const bodies: string[] = [];
    const callbacks = await receiver((incoming, response) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
      incoming.on('end', () => {
        bodies.push(text);
        response.end();
      });
    });
    try {
      const asked = await request(owner, client, {
        async: undefined,
        callbackUrl: `http://127.0.0.1:${callbacks.port}/`,
      });
      const id = await finished(asked, client);
      await until('the callback has come', () => bodies.length === 1);
      expect(JSON.parse(bodies[0] ?? '')).toEqual({
        requestId: id,
        clientId: application,
        roles: [{ id: 'whale', granted: true }],
      });
      expect(explanationsOf(await poll(id, client))).toHaveLength(1);
      const [row] = await world.communities.query<{ result: object }>(
        'SELECT result FROM token_gating.checks WHERE id = $1',
        [id],
      );
      expect(Object.keys(row?.result ?? {}).sort()).toEqual(['errors', 'roles']);
    } finally {
      await callbacks.stop();
    }
  });

  it('asynchronous checks with explain: are other requests under an idempotency key only where explain is true', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const explained = await request(holder, client, {}, headers);
    expect(idOf(await request(holder, client, {}, headers))).toBe(idOf(explained));
    expect((await request(holder, client, { explain: undefined }, headers)).status).toBe(409);
    const other = { 'Idempotency-Key': randomUUID() };
    const plain = await request(holder, client, { explain: undefined }, other);
    expect(idOf(await request(holder, client, { explain: false }, other))).toBe(idOf(plain));
    expect((await request(holder, client, {}, other)).status).toBe(409);
    expect(explanationsOf(await poll(await finished(plain, client), client))).toBeUndefined();
  });

  it('asynchronous checks with explain: are refused where the answer comes at once', async () => {
    const { status, body } = await request(holder, client, { async: undefined });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { details: { code: 'input_invalid', issues: [{ path: 'explain' }] } } },
    });
  });

  it('user.erased: deletes the explanations of checks of the user', async () => {
    const id = await finished(await request(owner, client), client);
    const kept = await finished(await request(holder, client), client);
    const event = { id: randomUUID(), type: 'user.erased', userId: owner, at: new Date().toISOString() };
    const queue = world.queue('user-events');
    await queue.add('user-events', { version: 1, batchId: randomUUID(), events: [event] });
    await until('the explanations are gone', async () => !explanationsOf(await poll(id, client)));
    expect(explanationsOf(await poll(kept, client))).toHaveLength(1);
    const rows = await world.communities.query(
      "SELECT FROM token_gating.checks WHERE explanations IS NOT NULL AND request ->> 'account' = $1",
      [owner],
    );
    expect(rows).toEqual([]);
  });

  it('user.erased: keeps a check that has read the wallets already from storing them', async () => {
    const erased = 'user_erased_meanwhile';
    world.book.set(erased, eoa(await world.wallet(WHOLE)));
    world.book.grant(erased, application);
    const answer = world.holdNextAnswer();
    const asked = await request(erased, client);
    await answer.isRead;
    const event = { id: randomUUID(), type: 'user.erased', userId: erased, at: new Date().toISOString() };
    await world
      .queue('user-events')
      .add('user-events', { version: 1, batchId: randomUUID(), events: [event] });
    const find = `SELECT request ? 'explain' AS asks, explanations FROM token_gating.checks WHERE id = $1`;
    await until('the check is asked for no explanation', async () => {
      const [row] = await world.communities.query<{ asks: boolean }>(find, [idOf(asked)]);
      return row?.asks === false;
    });
    answer.release();
    await finished(asked, client);
    expect(await world.communities.query(find, [idOf(asked)])).toEqual([{ asks: false, explanations: null }]);
  });
});
