import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { isAuthentic, type PublishedKeys, type SeenCallback } from '../support/callback-log.js';
import { PrincipalIssuer } from '@app/auth';
import { until } from '../support/until.js';
import {
  answerChallenge,
  CallbackEndpointsWorld,
  parseEvent,
  type ShownEndpoint,
} from './callback-endpoints-world.js';
import { asClient, asUser } from './roles-world.js';
import { eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;

let world: CallbackEndpointsWorld;

beforeAll(async () => {
  world = await CallbackEndpointsWorld.start();
});

afterAll(() => world.stop());

beforeEach(() => {
  world.receiver.answer = answerChallenge;
});

/** Fails the test where nothing came. */
function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('nothing came');
  return value;
}

const headersOf = ({ headers }: SeenCallback): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const isVerifiedBy = (secret: string, seen: SeenCallback): boolean => {
  try {
    new Webhook(secret).verify(seen.body, headersOf(seen));
    return true;
  } catch {
    return false;
  }
};

async function loadKeys(): Promise<PublishedKeys> {
  const { gating } = world.roles;
  const issuer = new PrincipalIssuer(gating.signingKey('identity'));
  const token = await issuer.issueToken({ kind: 'service', name: 'identity' }, 'token-gating');
  const response = await fetch(`${gating.app.url}/internal/jwks`, {
    headers: { 'x-gatehouse-principal': token },
  });
  return (await response.json()) as PublishedKeys;
}

/** A community with a member who holds one token, and attached client applications. */
async function createCommunity(userId: string, clients: string[]): Promise<string> {
  const { book, communities } = world.roles;
  book.set(userId, eoa(await world.roles.wallet(WHOLE)));
  return communities.create({
    roles: ['fish'],
    rules: [world.roles.holds('1', { roleId: 'fish' })],
    members: [userId],
    administrators: ['user_owner'],
    clients,
  });
}

const loadRoles = (communityId: string, userId: string) =>
  world.roles.roles(communityId, userId, asUser(userId));

/** Sends a test event, and waits for it. */
async function sendTest(clientId: string, { id }: ShownEndpoint): Promise<string> {
  const { status, body } = await world.request(clientId, 'POST', `/${id}/test`);
  expect(status).toBe(202);
  const { deliveryId } = body as { deliveryId: string };
  await until('the test event came', () =>
    world.receiver.seen.some((seen) => seen.deliveryId === deliveryId),
  );
  return deliveryId;
}

describe('callback endpoints', () => {
  it('T372: callback endpoints: send nothing but a signed challenge until it is answered, again after each change of url', async () => {
    const clientId = 'client_challenged';
    let isAnswering = false;
    world.receiver.answer = (seen, response, request) => {
      if (isAnswering) answerChallenge(seen, response);
      else response.writeHead(204).end();
      void request;
    };
    const endpoint = await world.register(clientId, ['role.granted']);
    expect(endpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const community = await createCommunity('user_challenged', [clientId]);
    await loadRoles(community, 'user_challenged');
    await until('all attempts are made', async () =>
      (await world.deliveries(clientId, endpoint.id)).every(({ state }) => state === 'failed'),
    );
    const seen = world.receiver.seen.filter(({ path }) => path === `/${clientId}`);
    expect(seen.length).toBeGreaterThan(1);
    for (const { body } of seen)
      expect(JSON.parse(body.toString())).toEqual({
        requestId: expect.any(String),
        clientId,
        challenge: expect.any(String),
      });
    expect(isVerifiedBy(endpoint.secret, present(seen[0]))).toBe(true);
    const shown = await world.show(clientId, endpoint.id);
    expect(shown.health).toMatchObject({
      state: 'unverified',
      verified: false,
      lastFailure: 'challenge_unanswered',
    });
    expect(JSON.stringify(shown)).not.toContain('whsec_');
    expect(await world.request(clientId, 'POST', `/${endpoint.id}/test`)).toMatchObject({ status: 409 });

    isAnswering = true;
    await world.request(clientId, 'PATCH', `/${endpoint.id}`, { url: endpoint.url });
    await world.untilState(clientId, endpoint.id, 'working');
    isAnswering = false;
    const url = world.receiver.url('/moved');
    const { body } = await world.request(clientId, 'PATCH', `/${endpoint.id}`, { url });
    expect(body).toMatchObject({ url, health: { verified: false } });
    expect(world.eventsAt(`/${clientId}`)).toEqual([]);
  });

  it('callback endpoints: send events as type, timestamp and data, which the stock library of Standard Webhooks verifies, and so do the published keys', async () => {
    const clientId = 'client_listening';
    const endpoint = await world.registerVerified(clientId, [
      'role.granted',
      'role.revoked',
      'member.removed',
    ]);
    await world.registerVerified('client_stranger', ['role.granted']);
    const communityId = await createCommunity('user_listed', [clientId, 'client_without_endpoint']);
    await loadRoles(communityId, 'user_listed');
    const path = `/${clientId}`;
    await until('the event came', () => world.eventsAt(path).length === 1);
    expect(world.eventsAt(path)).toEqual([
      {
        type: 'role.granted',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        data: { clientId, communityId, userId: 'user_listed', roleId: 'fish' },
      },
    ]);
    const [seen] = world.seenAt(path);
    expect(isVerifiedBy(endpoint.secret, present(seen))).toBe(true);
    expect(isAuthentic(present(seen), await loadKeys())).toBe(true);
    const changed = { ...present(seen), body: Buffer.from(`${seen?.body.toString() ?? ''} `) };
    expect(isVerifiedBy(endpoint.secret, changed)).toBe(false);
    expect(world.eventsAt('/client_stranger')).toEqual([]);

    const owner = asUser('user_owner', 'community:write');
    const member = `/communities/${communityId}/members/user_listed`;
    expect((await world.roles.gating.request('DELETE', member, undefined, {}, owner)).status).toBe(200);
    await until('the events of the removal came', () => world.eventsAt(path).length === 3);
    expect(
      world
        .eventsAt(path)
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['member.removed', 'role.granted', 'role.revoked']);
  });

  it('callback endpoints: name members on their platform to the application that reported them, as role callbacks do', async () => {
    const reporter = 'client_reporter';
    const other = 'client_other';
    await world.registerVerified(reporter, ['member.joined', 'member.left']);
    await world.registerVerified(other, ['member.joined']);
    const communityId = await createCommunity('user_first', [reporter, other]);
    const body = JSON.stringify({ users: [{ platform: 'chat', platformUserId: 'ann-of-reporter' }] });
    const as = asClient(reporter, 'community:write');
    const { gating } = world.roles;
    const answer = await gating.request('PUT', `/communities/${communityId}/platform-users`, body, {}, as);
    expect(answer.status).toBe(200);
    await until('both came', () => [reporter, other].every((id) => world.eventsAt(`/${id}`).length === 1));
    const data = { communityId, userId: 'user_ann-of-reporter' };
    expect(world.eventsAt(`/${other}`)[0]?.data).toEqual({ ...data, clientId: other });
    const [joined] = world.eventsAt(`/${reporter}`);
    const identity = { platform: 'chat', platformUserId: 'ann-of-reporter' };
    expect(joined?.data).toEqual({ ...data, clientId: reporter, ...identity });
  });

  it('callback endpoints: tell completed checks to all but the callback URL of the check, which is signed with the secret, too', async () => {
    const clientId = 'client_checking';
    const own = await world.registerVerified(clientId, ['check.completed'], '/own');
    await world.registerVerified(clientId, ['check.completed'], '/second');
    const request = {
      account: await world.roles.wallet(WHOLE),
      rules: [world.roles.holds('1', { roleId: 'fish' })],
      callbackUrl: own.url,
    };
    const { body } = await world.roles.gating.check(request, {}, asClient(clientId));
    const { requestId } = body as { requestId: string };
    await until('the callback and the event came', () =>
      [`/own`, '/second'].every((path) =>
        world.receiver.seen.some((seen) => seen.path === path && !seen.body.includes('challenge')),
      ),
    );
    const [callback] = world.receiver.of(requestId).filter(({ path }) => path === '/own');
    const roles = [{ id: 'fish', granted: true }];
    expect(JSON.parse(callback?.body.toString() ?? '')).toEqual({ requestId, clientId, roles });
    expect(isVerifiedBy(own.secret, present(callback))).toBe(true);
    expect(world.eventsAt('/second')).toEqual([
      { type: 'check.completed', timestamp: expect.any(String), data: { clientId, requestId, roles } },
    ]);
    expect(world.eventsAt('/own')).toEqual([]);

    // The same URL of another application is signed with its keys alone.
    const { body: others } = await world.roles.gating.check(request, {}, asClient('client_foreign'));
    const foreignId = (others as { requestId: string }).requestId;
    await until('the callback came', () => world.receiver.of(foreignId).length > 0);
    const [foreign] = world.receiver.of(foreignId);
    expect(String(foreign?.headers['webhook-signature'])).toMatch(/^v1a,[^ ]+$/);
  });

  it('callback endpoints: sign with the secret before a rotation for a day, and never show either again', async () => {
    const clientId = 'client_rotating';
    const endpoint = await world.registerVerified(clientId, ['role.granted']);
    const { status, body } = await world.request(clientId, 'POST', `/${endpoint.id}/secret-rotations`);
    expect(status).toBe(201);
    const { secret } = body as { secret: string };
    const deliveryId = await sendTest(clientId, endpoint);
    const seen = present(world.receiver.seen.find((each) => each.deliveryId === deliveryId));
    expect([secret, endpoint.secret].map((each) => isVerifiedBy(each, seen))).toEqual([true, true]);
    const { previousSecretEnds } = await world.show(clientId, endpoint.id);
    expect(Date.parse(previousSecretEnds ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const { communities } = world.roles;
    await communities.query(
      'UPDATE token_gating.callback_endpoints SET previous_secret_until = now() WHERE id = $1',
      [endpoint.id],
    );
    const later = await sendTest(clientId, endpoint);
    const last = present(world.receiver.seen.find((each) => each.deliveryId === later));
    expect([secret, endpoint.secret].map((each) => isVerifiedBy(each, last))).toEqual([true, false]);
    const [row] = await communities.query<object>(
      'SELECT sealed_secret, sealed_previous_secret FROM token_gating.callback_endpoints WHERE id = $1',
      [endpoint.id],
    );
    expect(
      Buffer.concat(Object.values(row ?? {}).filter(Buffer.isBuffer)).includes(
        Buffer.from(secret.slice(6), 'base64'),
      ),
    ).toBe(false);
  });

  it('callback endpoints: list deliveries with their attempts, and send failed ones again under their id', async () => {
    const clientId = 'client_failing';
    const endpoint = await world.registerVerified(clientId, ['role.granted']);
    world.receiver.answer = (_, response) => void response.writeHead(500).end('broken');
    const communityId = await createCommunity('user_failing', [clientId]);
    await loadRoles(communityId, 'user_failing');
    await until('the delivery has failed', async () =>
      (await world.deliveries(clientId, endpoint.id)).some(
        ({ type, state }) => type === 'role.granted' && state === 'failed',
      ),
    );
    const [failed, challenge] = await world.deliveries(clientId, endpoint.id);
    expect(challenge).toMatchObject({ type: 'endpoint.challenge', state: 'delivered' });
    expect(failed?.attempts).toHaveLength(4);
    // The receiver is at a private address: what it answers is not kept.
    expect(failed?.attempts[0]).toEqual({
      attempt: 1,
      startedTime: expect.any(String),
      milliseconds: expect.any(Number),
      status: 500,
    });
    expect((await world.show(clientId, endpoint.id)).health).toMatchObject({
      state: 'failing',
      lastFailure: 'status 500',
    });

    world.receiver.answer = answerChallenge;
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await world.request(clientId, 'POST', `/${endpoint.id}/recoveries`, { since })).toMatchObject({
      status: 202,
      body: { recovered: 1 },
    });
    await world.untilState(clientId, endpoint.id, 'working');
    expect(new Set(world.seenAt(`/${clientId}`).map(({ deliveryId }) => deliveryId))).toEqual(
      new Set([failed?.id]),
    );
    const again = await world.request(
      clientId,
      'POST',
      `/${endpoint.id}/deliveries/${failed?.id}/redeliveries`,
    );
    expect(again).toMatchObject({ status: 202, body: { deliveryId: failed?.id } });
    await until('it came again', () => world.seenAt(`/${clientId}`).length === 6);
    expect(
      await world.request(clientId, 'POST', `/${endpoint.id}/deliveries/msg_unknown/redeliveries`),
    ).toMatchObject({ status: 404, body: { error: { details: { code: 'delivery_not_found' } } } });
  });

  it('callback endpoints: count tests and deliveries sent again on the tenant, ten a minute', async () => {
    const clientId = 'client_eager';
    const endpoint = await world.registerVerified(clientId, ['role.granted']);
    const as = { ...asClient(clientId), client: { id: clientId, ownerId: 'owner_eager', plan: 'free' } };
    const statuses = [];
    for (let time = 0; time < 11; time += 1)
      statuses.push((await world.request(clientId, 'POST', `/${endpoint.id}/test`, undefined, as)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 202), 429]);
  });

  it('callback endpoints: are disabled by 410, until a new challenge is answered', async () => {
    const clientId = 'client_gone';
    const endpoint = await world.registerVerified(clientId, ['role.granted']);
    world.receiver.answer = (_, response) => void response.writeHead(410).end();
    await sendTest(clientId, endpoint);
    await world.untilState(clientId, endpoint.id, 'disabled');
    const communityId = await createCommunity('user_gone', [clientId]);
    await loadRoles(communityId, 'user_gone');
    world.receiver.answer = answerChallenge;
    await world.request(clientId, 'PATCH', `/${endpoint.id}`, { url: endpoint.url });
    await world.untilState(clientId, endpoint.id, 'working');
    expect(world.eventsAt(`/${clientId}`).map(({ type }) => type)).toEqual(['endpoint.test']);
  });

  it('T373: callback endpoints: belong to their application and to its owner in the portal, and to nobody else', async () => {
    const clientId = 'client_owned';
    const endpoint = await world.registerVerified(clientId, ['role.granted']);
    world.roles.book.owners.set(clientId, 'user_of_client');
    const owner = asUser('user_of_client', 'user:client-application:write');
    const statusOf = async (as: Parameters<typeof world.request>[4], path = `/${endpoint.id}`) =>
      (await world.request(clientId, 'GET', path, undefined, as)).status;
    expect(await statusOf(owner)).toBe(200);
    expect(await statusOf(asUser('user_else', 'user:client-application:write'))).toBe(404);
    expect(await statusOf(asUser('user_of_client', 'community:write'))).toBe(403);
    expect(await statusOf({ ...asClient(clientId), ...asUser('user_of_client') })).toBe(403);
    expect(await statusOf(asClient('client_else'))).toBe(404);
    expect(await statusOf(asClient(clientId, 'community:read'))).toBe(403);
    expect(await statusOf(asClient(clientId, 'accountkit'))).toBe(200);
    expect((await world.request('client_else', 'GET', `/${endpoint.id}`)).status).toBe(404);
    for (const [method, path, body] of [
      ['PATCH', '', { description: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/secret-rotations', undefined],
      ['POST', '/test', undefined],
      ['GET', '/deliveries', undefined],
      ['POST', '/recoveries', { since: new Date().toISOString() }],
    ] as const)
      expect((await world.request('client_else', method, `/${endpoint.id}${path}`, body)).status).toBe(404);
    expect(await statusOf(owner)).toBe(200);
  });

  it('callback endpoints: are at most ten, at different URLs that may be called, and errors name the field', async () => {
    const clientId = 'client_many';
    const events = ['role.granted'];
    const refused = async (body: object) => {
      const { status, body: answer } = await world.request(clientId, 'POST', '', body);
      const { details } = (answer as { error: { details: { code: string; issues?: { path: string }[] } } })
        .error;
      return [status, details.issues?.[0]?.path ?? details.code];
    };
    expect(await refused({ url: 'http://169.254.169.254/latest', events })).toEqual([400, 'url']);
    expect(await refused({ url: 'https://shop.example/', events: ['role.lost'] })).toEqual([400, 'events.0']);
    expect(await refused({ url: 'https://shop.example/', events: [] })).toEqual([400, 'events']);
    expect(await refused({ url: 'https://shop.example/', events, secret: 'x' })).toEqual([400, 'secret']);
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, at) => world.register(clientId, events, `/${at}`)),
    );
    expect(await refused({ url: world.receiver.url('/10'), events })).toEqual([
      409,
      'callback_endpoint_limit_exceeded',
    ]);
    expect((await world.request(clientId, 'DELETE', `/${all[0]?.id}`)).status).toBe(200);
    expect(await refused({ url: all[1]?.url, events })).toEqual([409, 'callback_endpoint_conflict']);
    const change = await world.request(clientId, 'PATCH', `/${all[2]?.id}`, { url: all[1]?.url });
    expect(change.status).toBe(409);
    await until('its deliveries are gone', async () => {
      const sql = 'SELECT FROM token_gating.deliveries WHERE endpoint_id = $1';
      return (await world.roles.communities.query(sql, [all[0]?.id])).length === 0;
    });
  });

  it('T374: callback endpoints: get nothing once the application is detached or deleted, and go with it', async () => {
    const clientId = 'client_leaving';
    const endpoint = await world.registerVerified(clientId, ['role.granted', 'role.revoked']);
    const communityId = await createCommunity('user_leaving', [clientId]);
    world.receiver.answer = (seen, response) => {
      if (seen.path === `/${clientId}`) response.writeHead(500).end();
      else answerChallenge(seen, response);
    };
    await loadRoles(communityId, 'user_leaving');
    await until('it was tried', () => world.seenAt(`/${clientId}`).length > 0);
    await world.roles.communities.query(
      'DELETE FROM token_gating.community_clients WHERE community_id = $1',
      [communityId],
    );
    await until('it is given up', async () =>
      (await world.deliveries(clientId, endpoint.id)).every(({ state }) => state !== 'pending'),
    );
    const [delivery] = await world.deliveries(clientId, endpoint.id);
    expect(delivery?.attempts.length).toBeLessThan(4);
    world.roles.book.removed.add(clientId);
    await world.untilState(clientId, endpoint.id, 'suspended');
    await world.roles.communities.query(
      "UPDATE token_gating.callback_endpoints SET absent_since = now() - interval '25 hours' WHERE id = $1",
      [endpoint.id],
    );
    await until(
      'it is deleted',
      async () => (await world.request(clientId, 'GET', `/${endpoint.id}`)).status === 404,
    );
    expect(parseEvent(present(world.seenAt(`/${clientId}`)[0])).type).toBe('role.granted');
  });
});
