import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '@app/auth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CallbackLog } from '../support/callback-log.js';
import { until } from '../support/until.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { RowLock } from './row-lock.js';
import { eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
const LISTENING = 'client_listening';
const PER_MINUTE = 120;
let receiver: CallbackLog;
let world: RolesWorld;

beforeAll(async () => {
  receiver = await CallbackLog.start();
  world = await RolesWorld.start({
    CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
    CALLBACK_RETRY_AFTER_MS: '100,100,100',
    CALLBACK_POLL_MS: '100',
    ROLE_CALLBACKS_PER_MINUTE: String(PER_MINUTE),
    SWEEP_INTERVAL_MS: '100',
  });
});

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

const poll = (requestId: string, reader = asClient(LISTENING)) =>
  world.gating.request('GET', `/access-control/check-roles/responses/${requestId}`, undefined, {}, reader);

const redeliver = (requestId: string, reader = asClient(LISTENING)) =>
  world.gating.request(
    'POST',
    `/access-control/check-roles/responses/${requestId}/redeliveries`,
    undefined,
    {},
    reader,
  );

const silent = asClient('client_silent');
/** A user of the client application that gets callbacks. */
const userOfListening = { ...asClient(LISTENING), ...asUser('user_9') };

/** The deliveries of a request, oldest first. */
const deliveries = (requestId: string) =>
  world.communities.query<{ id: string; state: string }>(
    'SELECT id, state FROM token_gating.deliveries WHERE $1 IN (request_id, check_id) ORDER BY created_at',
    [requestId],
  );

const isDelivered = async (requestId: string) =>
  (await deliveries(requestId)).every(({ state }) => state === 'delivered');

describe('role callbacks', () => {
  it('role callbacks: are sent once per change to attached client applications with a callback URL', async () => {
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

  it('role callbacks: name the member on its platform to the application that reported it, and numeric ids to all', async () => {
    const { id } = await community('user_11');
    await world.communities.query(
      'UPDATE token_gating.community_clients SET callback_url = $1 WHERE community_id = $2',
      [receiver.url(), id],
    );
    const numeric = { platform: 'chat', platformUserId: '4242' };
    const chosen = { platform: 'microblog', platformUserId: 'ann-of-listening' };
    const large = { platform: 'codehost', platformUserId: '99999999999999999999' };
    const body = JSON.stringify({ users: [numeric, chosen, large] });
    const as = asClient(LISTENING, 'community:write');
    for (let time = 0; time < 2; time += 1)
      expect(
        await world.gating.request('PUT', `/communities/${id}/platform-users`, body, {}, as),
      ).toMatchObject({
        status: 200,
      });
    const users = ['user_11', 'user_4242', 'user_ann-of-listening', 'user_99999999999999999999'];
    const callbacksOf = (userId: string, clientId: string) =>
      receiver.seen
        .map((each) => JSON.parse(each.body.toString()) as Record<string, unknown>)
        .filter(
          (each) => each['communityId'] === id && each['userId'] === userId && each['clientId'] === clientId,
        );
    const namesOf = (userId: string, clientId: string) =>
      callbacksOf(userId, clientId).map(({ platform, platformUserId }) => ({ platform, platformUserId }));
    const clientIds = [LISTENING, 'client_silent'];
    const areCalledBack = (times: number) => () =>
      users.every((user) => clientIds.every((client) => callbacksOf(user, client).length === times));
    for (const userId of users) {
      world.book.set(userId, eoa(await world.wallet(WHOLE)));
      await world.roles(id, userId, asClient(LISTENING));
    }
    await until('all are granted', areCalledBack(1));
    // Leaving revokes the role, and the member is gone when the callback is made.
    await world.communities.query(
      'INSERT INTO token_gating.community_administrators (community_id, user_id) VALUES ($1, $2)',
      [id, 'user_owner'],
    );
    for (const userId of users) {
      const path = `/communities/${id}/members/${userId}`;
      const owner = asUser('user_owner', 'community:write');
      expect((await world.gating.request('DELETE', path, undefined, {}, owner)).status).toBeLessThan(300);
    }
    await until('all are revoked', areCalledBack(2));
    const nobody = { platform: undefined, platformUserId: undefined };
    expect(users.map((user) => namesOf(user, LISTENING))).toEqual([
      [nobody, nobody],
      [numeric, numeric],
      [chosen, chosen],
      [large, large],
    ]);
    expect(users.map((user) => namesOf(user, 'client_silent'))).toEqual([
      [nobody, nobody],
      [numeric, numeric],
      [nobody, nobody],
      [nobody, nobody],
    ]);
    const [first] = callbacksOf('user_ann-of-listening', LISTENING);
    const requestId = String(first?.['requestId']);
    await until('it is recorded', () => isDelivered(requestId));
    expect((await redeliver(requestId)).status).toBe(200);
    await until('it came again', () => callbacksOf('user_ann-of-listening', LISTENING).length === 3);
    expect(namesOf('user_ann-of-listening', LISTENING)).toEqual([chosen, chosen, chosen]);
    const left = await world.communities.query(
      'SELECT FROM token_gating.reported_members WHERE community_id = $1',
      [id],
    );
    expect(left).toEqual([]);
  });

  it('role callbacks: are retried, and their results can be polled only by their client application', async () => {
    let failures = 2;
    receiver.answer = (_, response) => void response.writeHead(failures-- > 0 ? 500 : 204).end();
    const { id } = await community('user_2');
    await world.roles(id, 'user_2', asUser('user_2'));
    await until('the third attempt came', () => callbacks(id).length === 3);
    const [attempt] = callbacks(id);
    expect(new Set(callbacks(id).map(({ requestId }) => requestId)).size).toBe(1);

    const requestId = String(attempt?.requestId);
    expect(await poll(requestId)).toMatchObject({
      status: 200,
      body: { requestId, roles: [{ id: 'fish', granted: true }], errors: [] },
    });
    for (const other of [silent, userOfListening]) expect((await poll(requestId, other)).status).toBe(404);
  });

  it('role callbacks: are redelivered under a new delivery id, only for their client application', async () => {
    const { id } = await community('user_4');
    await world.roles(id, 'user_4', asUser('user_4'));
    await until('the callback came', () => callbacks(id).length > 0);
    const requestId = String(callbacks(id)[0]?.requestId);
    for (const other of [silent, userOfListening])
      expect((await redeliver(requestId, other)).status).toBe(404);
    const { status, body } = await redeliver(requestId);
    expect(status).toBe(200);
    const { deliveryId } = body as { deliveryId: string };
    await until('it came again', () => callbacks(id).length > 1);
    const [first, second] = receiver.of(requestId);
    expect(second?.body).toEqual(first?.body);
    expect([second?.deliveryId, first?.deliveryId === deliveryId]).toEqual([deliveryId, false]);
  });

  it('role callbacks: are deleted after their expiry, but not while they are retried', async () => {
    const { id } = await community('user_5');
    await world.roles(id, 'user_5', asUser('user_5'));
    await until('the callback came', () => callbacks(id).length > 0);
    const requestId = String(callbacks(id)[0]?.requestId);
    await until('it is recorded', () => isDelivered(requestId));
    const expire = (state: string, age: string) =>
      world.communities.query(
        `UPDATE token_gating.deliveries
         SET state = $2, next_attempt_at = 'infinity', expires_at = now() - $3::interval WHERE request_id = $1`,
        [requestId, state, age],
      );
    await expire('pending', '6 days');
    expect((await poll(requestId)).status).toBe(404);
    await sleep(500); // a few sweeps
    expect(await deliveries(requestId)).toHaveLength(1);
    await expire('delivered', '1 second');
    await until('it is deleted', async () => (await deliveries(requestId)).length === 0);
    expect((await redeliver(requestId)).status).toBe(404);
  });

  it('role callbacks of the previous release, which are finished checks: are delivered', async () => {
    const { id } = await community('user_6');
    const [made] = await world.communities.query<{ requestId: string }>(
      `WITH made AS (
         INSERT INTO token_gating.checks (id, client_id, request_hash, request, callback_url, reply, result, subject,
           next_run_at, done_at, expires_at)
         VALUES (gen_random_uuid(), $1, '', '{}', $2, false, $3, $4, now(), now(), now() + interval '1 day')
         RETURNING id
       ), due AS (
         INSERT INTO token_gating.deliveries (id, check_id, url, next_attempt_at)
         SELECT 'msg_previous', id, $2, now() FROM made
       )
       SELECT id AS "requestId" FROM made`,
      [
        LISTENING,
        receiver.url(),
        JSON.stringify({ roles: [{ id: 'fish', granted: true }], errors: [] }),
        JSON.stringify({ communityId: id, userId: 'user_6', at: '2026-11-22T00:00:00.000Z' }),
      ],
    );
    const { requestId } = made ?? { requestId: '' };
    await until('the callback came', () => callbacks(id).length > 0);
    const roles = [{ id: 'fish', granted: true }];
    expect(callbacks(id)).toEqual([
      {
        requestId,
        clientId: LISTENING,
        communityId: id,
        userId: 'user_6',
        at: '2026-11-22T00:00:00.000Z',
        roles,
      },
    ]);
    expect(await poll(requestId)).toMatchObject({ status: 200, body: { requestId, roles } });
    await until('it is recorded', () => isDelivered(requestId));
    expect((await redeliver(requestId)).status).toBe(200);
    await until('it came again', () => callbacks(id).length > 1);
  });

  it('T54: role callbacks of one tenant: are spaced beyond its limit per minute, and none are kept that would wait for hours', async () => {
    const manager = 'user_manager';
    const create = async (clients: string[], members: number) => {
      const userIds = Array.from({ length: members }, (_, at) => `${String(clients)}_${at}`);
      const id = await world.communities.create({
        roles: ['fish'],
        members: userIds,
        administrators: [manager],
        clients,
      });
      await world.communities.query(
        `UPDATE token_gating.community_clients SET tenant_id = client_id, callback_url = $1 WHERE community_id = $2`,
        [receiver.url(), id],
      );
      await world.communities.query(
        `INSERT INTO token_gating.role_assignments (community_id, user_id, role_id)
         SELECT $1, unnest($2::text[]), 'fish'`,
        [id, userIds],
      );
      return id;
    };
    const deleteRole = (id: string) =>
      world.gating.request(
        'DELETE',
        `/communities/${id}/roles/fish`,
        undefined,
        {},
        asUser(manager, 'community:write'),
      );
    const attacker = await create(['client_flooding'], 8_000);
    const victim = await create(['client_calm'], 5);
    for (const id of [attacker, victim]) expect((await deleteRole(id)).status).toBe(200);
    const count = async (id: string) => {
      const [row] = await world.communities.query<{ all: number; atOnce: number }>(
        `SELECT count(*)::int AS all, count(*) FILTER (WHERE expires_at < created_at + interval '1 day 1 second')::int AS "atOnce"
         FROM token_gating.deliveries WHERE payload ->> 'communityId' = $1`,
        [id],
      );
      return row;
    };
    await until('the roles are revoked from all members', async () => {
      const left = await world.communities.query('SELECT FROM token_gating.deleted_roles');
      return left.length === 0;
    });
    await until('all callbacks of the other tenant came', () => callbacks(victim).length === 5);
    const { all = 0, atOnce = 0 } = (await count(attacker)) ?? {};
    // An hour of callbacks, and those that became due between the transactions of the deletion.
    expect(all).toBeGreaterThanOrEqual(60 * PER_MINUTE);
    expect(all).toBeLessThan(62 * PER_MINUTE);
    expect(atOnce).toBeLessThan(2 * PER_MINUTE);
    await world.communities.query(
      `WITH gone AS (DELETE FROM token_gating.communities WHERE id = $1 RETURNING id)
       INSERT INTO token_gating.deleted_communities (community_id) SELECT id FROM gone`,
      [attacker],
    );
    await until('they are deleted with the community', async () => (await count(attacker))?.all === 0);
    expect((await count(victim))?.all).toBe(5);
  });

  it('T78: role callbacks: share the time of their tenant also when its first ones are made at once', async () => {
    const [manager, tenant, communities, members] = ['user_manager', 'client_beginning', 4, 5];
    const ids: string[] = [];
    for (let made = 0; made < communities; made += 1) {
      const userIds = Array.from({ length: members }, (_, at) => `beginning_${made}_${at}`);
      const options = { roles: ['fish'], members: userIds, administrators: [manager], clients: [tenant] };
      const id = await world.communities.create(options);
      await world.communities.query(
        'UPDATE token_gating.community_clients SET tenant_id = client_id, callback_url = $1 WHERE community_id = $2',
        [receiver.url(), id],
      );
      for (const userId of userIds) await world.communities.assign(id, userId, 'fish');
      ids.push(id);
    }
    const insert = 'INSERT INTO token_gating.role_callback_schedules (tenant_id, next_at) VALUES ($1, now())';
    const lock = await RowLock.acquire(world.gating.databaseUrl, insert, [tenant]);
    const as = asUser(manager, 'community:write');
    const deletions = ids.map((id) =>
      world.gating.request('DELETE', `/communities/${id}/roles/fish`, undefined, {}, as),
    );
    await until('all transactions wait for the first', async () => {
      const [row] = await world.communities.query<{ count: number }>(
        `SELECT count(*)::int FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND query LIKE '%INTO token_gating.role_callback_schedules%'`,
      );
      return row?.count === communities;
    });
    await lock.release();
    for (const { status } of await Promise.all(deletions)) expect(status).toBe(200);
    const [row] = await world.communities.query<{ reservedMs: number }>(
      `SELECT (extract(epoch FROM next_at - (SELECT min(created_at) FROM token_gating.deliveries WHERE tenant_id = $1))
         * 1000)::float8 AS "reservedMs" FROM token_gating.role_callback_schedules WHERE tenant_id = $1`,
      [tenant],
    );
    expect(row?.reservedMs).toBeGreaterThanOrEqual((communities * members * 60_000) / PER_MINUTE);
  });

  it('T54: role callbacks: are sent to a receiver once it has answered its challenge', async () => {
    const administrator = 'user_attaching';
    const id = await world.communities.create({
      roles: ['fish'],
      members: ['user_7'],
      administrators: [administrator],
    });
    const attaching: Principal = {
      kind: 'caller',
      user: { id: administrator },
      client: { id: LISTENING, ownerId: 'owner_1', plan: 'free' },
      scopes: ['community:read', 'community:write'],
    };
    const path = `/communities/${id}/client-applications`;
    const attach = () =>
      world.gating.request(
        'PUT',
        `${path}/${LISTENING}`,
        JSON.stringify({ callbackUrl: receiver.url() }),
        {},
        attaching,
      );
    const isVerified = async () => {
      const { body } = await world.gating.request('GET', path, undefined, {}, attaching);
      return (body as { items: { callbackUrlVerified?: boolean }[] }).items[0]?.callbackUrlVerified;
    };
    const change = async () => {
      await world.communities.assign(id, 'user_7', 'fish');
      await world.roles(id, 'user_7', asUser('user_7'));
    };
    const seenChallenges = () =>
      (callbacks(id) as { challenge?: string }[]).map(({ challenge }) => challenge);
    // A server that accepts everything, and one that returns every request, do not answer it.
    receiver.answer = ({ body }, response) =>
      void response.writeHead(200).end(seenChallenges().length % 2 === 0 ? body : '{}');
    expect((await attach()).status).toBe(200);
    await until('the challenge was sent again', () => seenChallenges().length > 1);
    await change();
    expect(await isVerified()).toBe(false);
    const [first] = seenChallenges();
    expect(first).toEqual(expect.any(String));
    receiver.answer = ({ body }, response) => {
      const { challenge } = JSON.parse(body.toString()) as { challenge?: string };
      response.writeHead(200).end(JSON.stringify({ challenge }));
    };
    await attach(); // with a new challenge, whether the first one has failed or not
    await until('the receiver is verified', async () => (await isVerified()) === true);
    expect(seenChallenges().every((challenge) => challenge !== undefined)).toBe(true);
    await change();
    await until('the role change came', () => seenChallenges().includes(undefined));
    expect(callbacks(id).at(-1)).toMatchObject({ userId: 'user_7', roles: [{ id: 'fish', granted: false }] });
    const sent = seenChallenges().length;
    await attach();
    expect([await isVerified(), seenChallenges().length]).toEqual([true, sent]);
  });

  it('role callbacks: are also sent when a member leaves', async () => {
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

describe('erasure of a user', () => {
  const eraseUser = async (userId: string) => {
    const event = { id: randomUUID(), type: 'user.erased', userId, at: new Date().toISOString() };
    await world.queue('user-events').add('', { version: 1, batchId: randomUUID(), events: [event] });
  };
  const rowsOf = (table: string, column: string, userId: string) =>
    world.communities.query(`SELECT FROM token_gating.${table} WHERE ${column} = $1`, [userId]);
  const keepClaim = (userId: string) =>
    world.communities.query(
      `INSERT INTO token_gating.asset_claims
         (id, slug_hash, user_id, wallet_type, wallet_chain_id, wallet_address, assets, signature, created_at, expires_at)
       VALUES ($1, sha256(convert_to($1, 'UTF8')), $1, 'eoa', '1', '0xa', '{}', '', now(), now() + interval '1 day')`,
      [userId],
    );

  it('user.erased: tells receivers that the roles are gone, and then forgets callbacks and claims of this user only', async () => {
    const [gone, stays] = ['user_gone', 'user_stays'];
    const communityIds: string[] = [];
    for (const userId of [gone, stays]) {
      const { id } = await community(userId);
      communityIds.push(id);
      await world.roles(id, userId, asUser(userId));
      await until('the callback came', () => callbacks(id).length > 0);
      await keepClaim(userId);
    }
    const [id = ''] = communityIds;
    receiver.answer = (_, response) => response.writeHead(503).end();
    await eraseUser(gone);
    await until('the end of the roles is being delivered', () => callbacks(id).length > 1);
    receiver.acceptAll();
    await until('nothing names the user', async () => {
      const left = [
        await rowsOf('deliveries', "payload ->> 'userId'", gone),
        await rowsOf('asset_claims', 'user_id', gone),
        await rowsOf('community_members', 'user_id', gone),
      ];
      return left.flat().length === 0;
    });
    expect(callbacks(id).at(-1)).toMatchObject({ userId: gone, roles: [{ id: 'fish', granted: false }] });
    expect(await rowsOf('deliveries', "payload ->> 'userId'", stays)).not.toEqual([]);
    expect(await rowsOf('asset_claims', 'user_id', stays)).toHaveLength(1);
  });
});
