import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { answerChallenge, asClientOfOwner, CallbackEndpointsWorld } from './callback-endpoints-world.js';
import { asClient } from './roles-world.js';

const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();

let world: CallbackEndpointsWorld;

beforeAll(async () => {
  world = await CallbackEndpointsWorld.start();
});

afterAll(() => world.stop());

beforeEach(() => {
  world.receiver.answer = answerChallenge;
});

/** Stores deliveries of an endpoint, as events do. */
async function insertDeliveries(
  clientId: string,
  { id, url }: { id: string; url: string },
  { count = 1, state = 'failed', type = 'role.granted', event = true } = {},
): Promise<string[]> {
  const content = event
    ? { event: { type, timestamp: HOUR_AGO, data: { clientId } } }
    : { event: { type, data: 'no object' } };
  const rows = await world.roles.communities.query<{ id: string }>(
    `INSERT INTO token_gating.deliveries
       (id, tenant_id, request_id, client_id, payload, url, state, attempts, next_attempt_at, expires_at, endpoint_id)
     SELECT 'msg_' || gen_random_uuid(), 'owner_of_' || $1::text, gen_random_uuid(), $1::text, $2::jsonb, $3, $4,
       CASE WHEN $4 = 'failed' THEN 4 ELSE 0 END, now(), now() + interval '3 days', $5
     FROM generate_series(1, $6) RETURNING id`,
    [clientId, JSON.stringify({ communityId: '', roles: [], ...content }), url, state, id, count],
  );
  return rows.map((row) => row.id);
}

const requestAs = (clientId: string, ownerId: string) => ({
  ...asClient(clientId),
  client: { id: clientId, ownerId, plan: 'free' },
});

it('callback endpoints: a stored delivery that cannot be read is postponed, and stops no other', async () => {
  const clientId = 'client_unreadable';
  const endpoint = await world.registerVerified(clientId, ['role.granted']);
  const [unreadable] = await insertDeliveries(clientId, endpoint, { state: 'pending', event: false });
  const sent = await insertDeliveries(clientId, endpoint, { state: 'pending', count: 3 });
  await until('the others came', () => world.seenAt(`/${clientId}`).length === sent.length);
  const rows = await world.roles.communities.query(
    `SELECT state, next_attempt_at > now() + interval '40 seconds' AS is_later
     FROM token_gating.deliveries WHERE id = $1`,
    [unreadable],
  );
  expect(rows).toEqual([{ state: 'pending', is_later: true }]);
});

it('callback endpoints: a delivery is sent again ten times, with the whole schedule of retries, and lists its newest attempts', async () => {
  const clientId = 'client_repeating';
  const endpoint = await world.registerVerified(clientId, ['role.granted']);
  world.receiver.answer = (_, response) => void response.writeHead(500).end();
  const [deliveryId] = await insertDeliveries(clientId, endpoint);
  const path = `/${endpoint.id}/deliveries/${deliveryId}/redeliveries`;
  const repeat = (ownerId: string) =>
    world.request(clientId, 'POST', path, undefined, requestAs(clientId, ownerId));
  const hasFailed = async () =>
    (await world.deliveries(clientId, endpoint.id)).find(({ id }) => id === deliveryId)?.state === 'failed';
  for (let times = 1; times <= 10; times += 1) {
    expect((await repeat(`owner_${times}`)).status).toBe(202);
    await until(`all attempts of repetition ${times} failed`, hasFailed);
    expect(world.seenAt(`/${clientId}`)).toHaveLength(4 * times);
  }
  expect(await repeat('owner_11')).toMatchObject({
    status: 409,
    body: { error: { details: { code: 'redelivery_limit_exceeded' } } },
  });
  const [shown] = (await world.deliveries(clientId, endpoint.id)).filter(({ id }) => id === deliveryId);
  expect(shown?.attempts).toHaveLength(20);
  expect(shown?.attempts.at(-1)).toMatchObject({ attempt: 44 });
  expect(
    (await world.request(clientId, 'POST', `/${endpoint.id}/recoveries`, { since: HOUR_AGO })).body,
  ).toEqual({ recovered: 0 });
});

it('callback endpoints: a recovery of many deliveries holds the schedule of its tenant for 500 of them at a time', async () => {
  const clientId = 'client_recovering';
  const endpoint = await world.registerVerified(clientId, ['role.granted']);
  await insertDeliveries(clientId, endpoint, { count: 1_200 });
  // Nothing is due while the test looks.
  const reserve = (minutes: number) =>
    world.roles.communities.query(
      `INSERT INTO token_gating.role_callback_schedules (tenant_id, begins_at, next_at)
       VALUES ('endpoints owner_of_client_recovering', now(), now() + $1 * interval '1 minute')
       ON CONFLICT (tenant_id) DO UPDATE SET next_at = excluded.next_at`,
      [minutes],
    );
  await reserve(30);
  const { body } = await world.request(clientId, 'POST', `/${endpoint.id}/recoveries`, { since: HOUR_AGO });
  expect(body).toEqual({ recovered: 1_200 });
  const rows = await world.roles.communities.query(
    `SELECT count(DISTINCT xmin::text)::int AS transactions, count(*)::int AS pending
     FROM token_gating.deliveries WHERE endpoint_id = $1 AND repeats = 1 AND state = 'pending'`,
    [endpoint.id],
  );
  expect(rows).toEqual([{ transactions: 3, pending: 1_200 }]);
  await reserve(0);
});

it('callback endpoints: a second rotation within a day keeps the secret that receivers use, and an ended one is deleted', async () => {
  const clientId = 'client_hasty';
  const endpoint = await world.registerVerified(clientId, ['role.granted']);
  const load = async () => {
    const [row] = await world.roles.communities.query<{ current: string; previous: string | null }>(
      `SELECT encode(sealed_secret, 'hex') AS current, encode(sealed_previous_secret, 'hex') AS previous
       FROM token_gating.callback_endpoints WHERE id = $1`,
      [endpoint.id],
    );
    return row;
  };
  const used = (await load())?.current;
  for (const _ of [1, 2]) await world.request(clientId, 'POST', `/${endpoint.id}/secret-rotations`);
  expect((await load())?.previous).toBe(used);
  await world.roles.communities.query(
    'UPDATE token_gating.callback_endpoints SET previous_secret_until = now() WHERE id = $1',
    [endpoint.id],
  );
  await until('the ended secret is deleted', async () => (await load())?.previous === null);
});

it('callback endpoints: are disabled by five failures over a day, and not by a failure that follows an old one', async () => {
  const clientId = 'client_quiet';
  const endpoint = await world.registerVerified(clientId, ['role.granted']);
  world.receiver.answer = (_, response) => void response.writeHead(500).end();
  const setFailing = (ago: string, failures: number) =>
    world.roles.communities.query(
      `UPDATE token_gating.callback_endpoints
       SET failing_since = now() - interval '3 days', last_failure_at = now() - $2::interval, failures = $3 WHERE id = $1`,
      [endpoint.id, ago, failures],
    );
  const sendFailing = async () => {
    const { length } = world.seenAt(`/${clientId}`);
    await insertDeliveries(clientId, endpoint, { state: 'pending' });
    await until('all attempts failed', () => world.seenAt(`/${clientId}`).length === length + 4);
  };
  await setFailing('70 hours', 1);
  await sendFailing();
  expect((await world.show(clientId, endpoint.id)).health.state).toBe('failing');
  await setFailing('5 hours', 4);
  await insertDeliveries(clientId, endpoint, { state: 'pending' });
  await world.untilState(clientId, endpoint.id, 'disabled');
});

it('T373: callback endpoints: a key without the scope of an event neither subscribes to it nor changes an endpoint that has it', async () => {
  const clientId = 'client_scoped';
  const endpoint = await world.registerVerified(clientId, ['role.granted']);
  const accountkit = asClientOfOwner(clientId, 'accountkit');
  const url = world.receiver.url('/client_scoped_operations');
  const statusOf = async (method: string, path: string, body?: object, as = accountkit) =>
    (await world.request(clientId, method, path, body, as)).status;
  expect(await statusOf('POST', '', { url, events: ['role.granted'] })).toBe(403);
  expect(await statusOf('PATCH', `/${endpoint.id}`, { description: 'x' })).toBe(403);
  expect(await statusOf('POST', `/${endpoint.id}/secret-rotations`)).toBe(403);
  expect(await statusOf('DELETE', `/${endpoint.id}`)).toBe(403);
  const gating = asClientOfOwner(clientId);
  expect(await statusOf('PATCH', `/${endpoint.id}`, { events: ['operation.changed'] }, gating)).toBe(403);
  expect(await statusOf('POST', '', { url, events: ['operation.changed'] })).toBe(201);
  expect((await world.show(clientId, endpoint.id)).events).toEqual(['role.granted']);
});

it('T373: callback endpoints: an event is not sent while its scope is not approved for the application', async () => {
  const clientId = 'client_approved_in_part';
  const endpoint = await world.registerVerified(clientId, ['role.granted']);
  // Identity says that the application has token-gating alone.
  await world.roles.communities.query(
    "UPDATE token_gating.callback_endpoints SET events = '{role.granted,operation.changed}' WHERE id = $1",
    [endpoint.id],
  );
  const [refused] = await insertDeliveries(clientId, endpoint, {
    state: 'pending',
    type: 'operation.changed',
  });
  await insertDeliveries(clientId, endpoint, { state: 'pending' });
  await until('the other event came', () => world.seenAt(`/${clientId}`).length === 1);
  await until('it is given up', async () =>
    (await world.deliveries(clientId, endpoint.id)).some(
      ({ id, state }) => id === refused && state === 'failed',
    ),
  );
  expect(world.eventsAt(`/${clientId}`).map(({ type }) => type)).toEqual(['role.granted']);
});

it('callback endpoints: challenges count within the ten requests of a tenant in a minute', async () => {
  const clientId = 'client_challenging';
  world.receiver.answer = (_, response) => void response.writeHead(204).end();
  const { id } = await world.register(clientId, ['role.granted']);
  const statuses = [];
  for (let time = 0; time < 10; time += 1) {
    const url = world.receiver.url(`/moved/${time}`);
    statuses.push((await world.request(clientId, 'PATCH', `/${id}`, { url })).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 9 }, () => 200), 429]);
  expect((await world.request(clientId, 'PATCH', `/${id}`, { description: 'x' })).status).toBe(200);
});

it('callback endpoints: a suspended endpoint is sent nothing, and a full schedule of the tenant is 429', async () => {
  const clientId = 'client_suspended';
  const endpoint = await world.registerVerified(clientId, ['role.granted']);
  await world.roles.communities.query(
    `INSERT INTO token_gating.role_callback_schedules (tenant_id, begins_at, next_at)
     VALUES ('endpoints owner_of_client_suspended', now(), now() + interval '2 hours')`,
  );
  const [failed] = await insertDeliveries(clientId, endpoint);
  const send = async (path: string, body?: object) => {
    const answer = await world.request(clientId, 'POST', `/${endpoint.id}${path}`, body);
    const { error } = answer.body as { error: { details: { code: string } } };
    return [answer.status, error.details.code];
  };
  const full = [429, 'endpoint_request_limit_exceeded'];
  expect(await send('/test')).toEqual(full);
  expect(await send('/recoveries', { since: HOUR_AGO })).toEqual(full);
  world.roles.book.unapproved.add(clientId);
  await world.untilState(clientId, endpoint.id, 'suspended');
  const suspended = [409, 'callback_endpoint_approval_required'];
  expect(await send('/test')).toEqual(suspended);
  expect(await send('/recoveries', { since: HOUR_AGO })).toEqual(suspended);
  expect(await send(`/deliveries/${failed}/redeliveries`)).toEqual(suspended);
});
