import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CallbackLog } from '../support/callback-log.js';
import { until } from '../support/until.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
const LISTENING = 'client_listening';
let receiver: CallbackLog;
let world: RolesWorld;

beforeAll(async () => {
  receiver = await CallbackLog.start();
  world = await RolesWorld.start({
    CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
    CALLBACK_RETRY_AFTER_MS: '100,100,100',
    CALLBACK_POLL_MS: '100',
  });
}, 90_000);

afterAll(async () => {
  await world.stop();
  await receiver.stop();
});

beforeEach(() => {
  receiver.acceptAll();
});

const callbacks = (communityId: string) =>
  receiver.seen
    .map(({ body }) => JSON.parse(body.toString()) as { communityId: string; requestId: string })
    .filter((body) => body.communityId === communityId);

/** Creates a community with a member who owns one coin, and two client applications, one of them with a callback URL. */
async function community(userId: string) {
  const address = await world.wallet(WHOLE);
  world.book.set(userId, eoa(address));
  const id = await world.communities.create({
    roles: ['fish', 'whale'],
    rules: [world.holds('1', { roleId: 'fish' }), world.holds('5', { roleId: 'whale' })],
    members: [userId],
    clients: [LISTENING, 'client_silent'],
  });
  await world.communities.query(
    'UPDATE token_gating.community_clients SET callback_url = $1 WHERE community_id = $2 AND client_id = $3',
    [receiver.url(), id, LISTENING],
  );
  return { id, address };
}

describe('role callbacks', () => {
  it('are sent once per change to attached client applications with a callback URL', async () => {
    const { id, address } = await community('user_1');
    await world.communities.assign(id, 'user_1', 'whale');
    await world.roles(id, 'user_1', asUser('user_1'));
    await until('the callback came', () => callbacks(id).length > 0);
    await world.roles(id, 'user_1', asUser('user_1'));
    await world.give(address, 4n * WHOLE);
    await world.roles(id, 'user_1', asUser('user_1'));
    await until('the second one came', () => callbacks(id).length > 1);

    const fields = {
      requestId: expect.any(String),
      clientId: LISTENING,
      communityId: id,
      userId: 'user_1',
      at: expect.any(String),
    };
    const [first, ...others] = callbacks(id);
    expect(first).toEqual({ ...fields, roles: expect.any(Array) });
    expect((first as unknown as { roles: object[] }).roles).toEqual(
      expect.arrayContaining([
        { id: 'fish', granted: true },
        { id: 'whale', granted: false },
      ]),
    );
    expect(others).toEqual([{ ...fields, roles: [{ id: 'whale', granted: true }] }]);
  });

  it('are retried, and their results can be polled only by their client application', async () => {
    let failures = 2;
    receiver.answer = (_, response) => void response.writeHead(failures-- > 0 ? 500 : 204).end();
    const { id } = await community('user_2');
    await world.roles(id, 'user_2', asUser('user_2'));
    await until('the third attempt came', () => callbacks(id).length === 3);
    const [attempt] = callbacks(id);
    expect(new Set(callbacks(id).map(({ requestId }) => requestId)).size).toBe(1);

    const path = `/access-control/check-roles/responses/${String(attempt?.requestId)}`;
    const polled = await world.gating.request('GET', path, undefined, {}, asClient(LISTENING));
    expect(polled).toMatchObject({
      status: 200,
      body: { roles: [{ id: 'fish', granted: true }], errors: [] },
    });
    const others = await world.gating.request('GET', path, undefined, {}, asClient('client_silent'));
    expect(others.status).toBe(404);
  });

  it('are also sent when a member leaves', async () => {
    const { id } = await community('user_3');
    await world.communities.assign(id, 'user_3', 'fish');
    const path = `/communities/${id}/members/me`;
    const left = await world.gating.request(
      'DELETE',
      path,
      undefined,
      {},
      {
        kind: 'caller',
        user: { id: 'user_3' },
        scopes: ['community:write'],
      },
    );
    expect(left.status).toBe(200);
    await until('the callback came', () => callbacks(id).length > 0);
    expect(callbacks(id)).toMatchObject([{ userId: 'user_3', roles: [{ id: 'fish', granted: false }] }]);
  });
});
