import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { UserEvent, WalletEvent } from '@app/dto';
import { until } from '../support/until.js';
import {
  answerChallenge,
  asClientOfOwner,
  CallbackEndpointsWorld,
  type ShownEndpoint,
} from './callback-endpoints-world.js';
import type { ForeignQueue } from '../queues/foreign-queue.js';

let world: CallbackEndpointsWorld;
let walletEvents: ForeignQueue['queue'];
let userEvents: ForeignQueue['queue'];

beforeAll(async () => {
  world = await CallbackEndpointsWorld.start();
  walletEvents = world.roles.queue('wallet-events');
  userEvents = world.roles.queue('user-events');
});

afterAll(() => world.stop());

beforeEach(() => {
  world.receiver.answer = answerChallenge;
});

/** API keys have no scope of users: the application's decides. */
const asReader = (clientId: string) => asClientOfOwner(clientId);

/** Registers an endpoint for changes of wallets that has answered its challenge. */
async function listen(
  clientId: string,
  events = ['wallet.linked', 'wallet.unlinked'],
): Promise<ShownEndpoint> {
  const url = world.receiver.url(`/${clientId}`);
  const { status, body } = await world.request(clientId, 'POST', '', { url, events }, asReader(clientId));
  expect(status).toBe(201);
  const endpoint = body as ShownEndpoint;
  await world.untilState(clientId, endpoint.id, 'working');
  return endpoint;
}

const change = (fields: Partial<WalletEvent> & Pick<WalletEvent, 'type' | 'userId'>): WalletEvent => ({
  id: randomUUID(),
  at: new Date().toISOString(),
  accountId: `eip155:1:0x${'ab'.repeat(20)}`,
  ...fields,
});

/** Publishes events as identity does, in one batch. */
async function publish(...events: WalletEvent[]): Promise<void> {
  const batch = { version: 1, batchId: randomUUID(), events };
  await walletEvents.add('wallet-events', batch, { jobId: batch.batchId, removeOnComplete: true });
}

const publishedTo = (clientId: string) => world.eventsAt(`/${clientId}`);

describe('callback endpoints: events about users', () => {
  it('T388: callback endpoints: are told of wallets by applications to which the user granted reading them, and by no others', async () => {
    for (const clientId of ['client_reader', 'client_without_grant']) await listen(clientId);
    await listen('client_of_links', ['wallet.linked']);
    const { book } = world.roles;
    book.grant('user_granting', 'client_reader');
    book.grant('user_granting', 'client_of_links');
    book.grant('user_other', 'client_without_grant');
    const linked = change({ type: 'wallet.linked', userId: 'user_granting' });
    const unlinked = change({ type: 'wallet.unlinked', userId: 'user_granting' });
    const shared = change({ type: 'wallet.shared', userId: 'user_granting' });
    await publish(linked, shared);
    await publish(unlinked);
    // The same batch again, as after a crash.
    await publish(linked);
    await until('both came', () => publishedTo('client_reader').length === 2);
    await until('the link came', () => publishedTo('client_of_links').length === 1);
    const { accountId, userId } = linked;
    expect(publishedTo('client_reader')).toContainEqual({
      type: 'wallet.linked',
      timestamp: linked.at,
      data: { clientId: 'client_reader', userId, accountId },
    });
    expect(
      publishedTo('client_reader')
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['wallet.linked', 'wallet.unlinked']);
    expect(publishedTo('client_without_grant')).toEqual([]);
  });

  it('T388: callback endpoints: get nothing of a wallet whose user ended the grant while the delivery waited, and wait while identity is away', async () => {
    const endpoint = await listen('client_late');
    const { book } = world.roles;
    book.grant('user_leaving', 'client_late');
    book.grant('user_staying', 'client_late');
    world.receiver.answer = (_seen, response) => response.writeHead(503).end();
    await publish(change({ type: 'wallet.linked', userId: 'user_leaving' }));
    await until('it was tried', () => publishedTo('client_late').length > 0);
    book.grant('user_leaving', 'client_late', false);
    await until('it is given up', async () => {
      const [delivery] = await world.deliveries('client_late', endpoint.id);
      return delivery?.state === 'failed';
    });
    world.receiver.answer = (_seen, response) => response.writeHead(204).end();
    const before = publishedTo('client_late').length;
    const recovery = { since: new Date(Date.now() - 60_000).toISOString() };
    const recovered = await world.request(
      'client_late',
      'POST',
      `/${endpoint.id}/recoveries`,
      recovery,
      asReader('client_late'),
    );
    expect(recovered).toMatchObject({ status: 202, body: { recovered: 1 } });
    await until('it is given up again', async () => {
      const [delivery] = await world.deliveries('client_late', endpoint.id);
      return delivery?.state === 'failed';
    });
    expect(publishedTo('client_late')).toHaveLength(before);

    book.isAway = true;
    await publish(change({ type: 'wallet.linked', userId: 'user_staying' }));
    await until(
      'identity was asked',
      () => book.asked.filter((path) => path.endsWith('/readers')).length > 0,
    );
    book.isAway = false;
    await until('it came', () => publishedTo('client_late').length > before);
    expect(publishedTo('client_late').at(-1)?.data).toMatchObject({ userId: 'user_staying' });
  });

  it('T388: callback endpoints: are told of the wallet of a platform user by attached applications that know the member', async () => {
    for (const clientId of ['client_bot', 'client_stranger', 'client_attached']) await listen(clientId);
    const { communities } = world.roles;
    const communityId = await communities.create({
      roles: ['fish'],
      members: ['user_chat'],
      administrators: ['user_owner'],
      clients: ['client_bot', 'client_attached'],
    });
    await communities.query(
      `INSERT INTO token_gating.reported_members (community_id, user_id, client_id) VALUES ($1, 'user_chat', 'client_bot')`,
      [communityId],
    );
    await publish(change({ type: 'wallet.linked', userId: 'user_chat', communityId }));
    await until('it came', () => publishedTo('client_bot').length === 1);
    expect(publishedTo('client_bot')[0]?.data).toMatchObject({
      ...{ communityId, userId: 'user_chat' },
      platform: 'chat',
      platformUserId: 'chat-of-user_chat',
    });
    expect(publishedTo('client_stranger')).toEqual([]);
    expect(publishedTo('client_attached')).toEqual([]);
  });

  it('T388: callback endpoints: are not told of a wallet of an erased user, however long the delivery waited', async () => {
    const clientId = 'client_of_erased';
    const endpoint = await listen(clientId);
    world.roles.book.grant('user_erased', clientId);
    world.receiver.answer = (_seen, response) => response.writeHead(503, { 'retry-after': '60' }).end();
    await publish(change({ type: 'wallet.linked', userId: 'user_erased' }));
    await until('it was tried', () => publishedTo(clientId).length > 0);
    const erased: UserEvent = {
      id: randomUUID(),
      at: new Date().toISOString(),
      type: 'user.erased',
      userId: 'user_erased',
    };
    const batch = { version: 1, batchId: randomUUID(), events: [erased] };
    await userEvents.add('user-events', batch, { jobId: batch.batchId, removeOnComplete: true });
    await until('its deliveries are gone', async () =>
      (await world.deliveries(clientId, endpoint.id)).every(({ type }) => type !== 'wallet.linked'),
    );
  });

  it('callback endpoints: need `user:wallet:read` to be told of wallets', async () => {
    const clientId = 'client_without_scope';
    world.roles.book.unapproved.add(clientId);
    const url = world.receiver.url(`/${clientId}`);
    expect(await world.request(clientId, 'POST', '', { url, events: ['wallet.linked'] })).toMatchObject({
      status: 403,
      body: { error: { details: { code: 'scope_required' } } },
    });
  });

  it('T389: callback endpoints: are told of the approval of their own application, once', async () => {
    // It waits for its first approval, so that it has no scope yet.
    world.roles.book.unapproved.add('client_approved');
    await world.registerVerified('client_approved', ['application.approved']);
    await until('identity said so', async () => {
      const [{ scopes }] = (await world.roles.communities.query<{ scopes: string[] }>(
        "SELECT scopes FROM token_gating.callback_endpoints WHERE client_id = 'client_approved'",
      )) as [{ scopes: string[] }];
      return scopes.length === 0;
    });
    await world.registerVerified('client_waiting', ['application.approved']);
    const event: UserEvent = {
      ...{ id: randomUUID(), at: new Date().toISOString(), type: 'application.approved' },
      ...{ clientId: 'client_approved', scopes: ['token-gating', 'openid'] },
    };
    for (let time = 0; time < 2; time += 1) {
      const batch = { version: 1, batchId: randomUUID(), events: [event] };
      await userEvents.add('user-events', batch, { jobId: batch.batchId, removeOnComplete: true });
    }
    await until('both jobs are done', async () => {
      const counts = await userEvents.getJobCounts('waiting', 'active', 'delayed');
      return Object.values(counts).every((count) => count === 0);
    });
    await until('it came', () => publishedTo('client_approved').length > 0);
    expect(publishedTo('client_approved')).toEqual([
      {
        type: 'application.approved',
        timestamp: event.at,
        data: { clientId: 'client_approved', scopes: ['token-gating', 'openid'] },
      },
    ]);
    expect(publishedTo('client_waiting')).toEqual([]);
  });
});
