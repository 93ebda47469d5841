import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import { createPostgresBackend, Queue } from 'bullmq';
import { until } from '../support/until.js';
import type { Answer } from './gating-app.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { contractOn, eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
const [owner, trusted, stranger] = ['user_owner', 'client_trusted', 'client_stranger'];
let world: RolesWorld;

beforeAll(async () => {
  world = await RolesWorld.start({ CHECK_REREAD_AFTER_MS: '100', SWEEP_INTERVAL_MS: '200' });
  const [half, rest, contract] = [
    await world.wallet(WHOLE / 2n),
    await world.wallet(WHOLE / 2n),
    await world.wallet(WHOLE),
  ];
  world.book.set(owner, eoa(half), eoa(rest), contractOn(world.chainId + 1, contract));
  world.book.grant(owner, trusted);
});

afterAll(async () => {
  await world.stop();
});

const through = (clientId: string, userId: string): Principal => ({
  ...asClient(clientId),
  ...asUser(userId),
});
const createRequest = (more: object = {}, account = owner) => ({
  account,
  rules: [world.holds('1', { roleId: 'whale' }), world.holds('1.000000000000000001', { roleId: 'more' })],
  ...more,
});
const summed = {
  roles: [
    { id: 'whale', granted: true },
    { id: 'more', granted: false },
  ],
};
const notFound = { status: 404, body: { error: { details: { code: 'account_not_found' } } } };

async function finished(requestId: string, as: Principal): Promise<unknown> {
  const path = `/access-control/check-roles/responses/${requestId}`;
  let answer: Answer | undefined;
  await until('the check is finished', async () => {
    answer = await world.gating.request('GET', path, undefined, {}, as);
    return answer.status === 200;
  });
  return answer?.body;
}

async function accepted(as: Principal): Promise<string> {
  const { status, body } = await world.gating.check(createRequest({ async: true }), {}, as);
  expect(status).toBe(200);
  return (body as { requestId: string }).requestId;
}

describe.each([
  ['synchronous', {}],
  ['asynchronous', { async: true }],
])('a user id in a %s check', (_, more) => {
  it.each([
    ['another client application', asClient(stranger), owner],
    ['another user through the granted application', through(trusted, 'user_other'), owner],
    ['the granted application, for an unknown user', asClient(trusted), 'user_unknown'],
  ])('user id in a check: is not found by %s', async (_name, principal, account) => {
    expect(await world.gating.check(createRequest(more, account), {}, principal)).toMatchObject(notFound);
  });

  it('user id in a check: gives the same 404 whether it is hidden or unknown', async () => {
    const bodies = [];
    for (const account of [owner, 'user_unknown']) {
      const { body } = await world.gating.check(createRequest(more, account), {}, asClient(stranger));
      const { error } = body as { error: { details: object } };
      bodies.push({ ...error, details: { ...error.details, requestId: '' } });
    }
    expect(bodies[0]).toEqual(bodies[1]);
  });

  it('user id in a check: is rejected when its wallets need too many reads', async () => {
    const wide = world.holds('1', { type: 'ERC1155', tokenId: '1-10000' });
    const wider = { ...wide, tokenId: '20000-21000' };
    const body = { account: owner, rules: [wide, wider], ...more };
    const answer = await world.gating.check(body, {}, asClient(trusted));
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: { code: 'rule_read_limit_exceeded' } } },
    });
  });

  it('user id in a check: is 503 while identity is unavailable', async () => {
    const bringBack = world.breakIdentity();
    const answer = await world.gating.check(createRequest(more), {}, asClient(trusted));
    bringBack();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  });
});

describe('a user id', () => {
  it.each([
    ['the user', through(stranger, owner)],
    ['a client application that the user lets read wallets', asClient(trusted)],
  ])('user id: sums the holdings of all wallets, for %s', async (_, principal) => {
    expect(await world.gating.check(createRequest(), {}, principal)).toMatchObject({
      status: 200,
      body: summed,
    });
    expect(await finished(await accepted(principal), principal)).toMatchObject({ ...summed, errors: [] });
  });

  it('user id: is not looked up for a plain address', async () => {
    const before = world.book.asked.length;
    const { status } = await world.gating.check(
      createRequest({}, await world.wallet()),
      {},
      asClient(trusted),
    );
    expect([status, world.book.asked.length]).toEqual([200, before]);
  });

  it('user id: is retried when identity is unavailable while the check runs', async () => {
    const requestId = await acceptWithFailingLookup(() => world.breakIdentity());
    expect(await finished(requestId, asClient(trusted))).toMatchObject({ ...summed, errors: [] });
  });

  it('user id whose grant is revoked before the check runs: is an error', async () => {
    const user = 'user_changing';
    world.book.set(user, eoa(await world.wallet(WHOLE)));
    world.book.grant(user, trusted);
    const bringBack = world.breakNode();
    const { body } = await world.gating.check(createRequest({ async: true }, user), {}, asClient(trusted));
    world.book.grant(user, trusted, false);
    await untilIdentityIsAsked();
    bringBack();
    const { requestId } = body as { requestId: string };
    expect(await finished(requestId, asClient(trusted))).toMatchObject({
      errors: [
        { roleId: 'whale', rule: 0, name: 'NotFoundError', retryable: false },
        { roleId: 'more', rule: 1, name: 'NotFoundError', retryable: false },
      ],
    });
  });
});

it('user id: a queued check of a user id fails without a grant to the client application', async () => {
  const queue = new Queue(
    'check-roles',
    { connection: { connectionString: world.gating.databaseUrl, schema: 'queue', max: 2 } },
    createPostgresBackend,
  );
  try {
    const requestId = randomUUID();
    const job = { version: 1, requestId, clientId: stranger, ...createRequest() };
    await queue.add('check-roles', job, { jobId: requestId });
    let reason: string | undefined;
    await until('the job has failed', async () => {
      reason = (await queue.getJob(requestId))?.failedReason;
      return reason !== undefined && reason !== '';
    });
    expect(reason).toContain('There is no such account.');
  } finally {
    await queue.close();
  }
});

/** Starts a check whose first lookup fails. @param takeAway makes a dependency unavailable and returns how to restore it */
async function acceptWithFailingLookup(takeAway: () => () => void): Promise<string> {
  const healNode = world.breakNode();
  const requestId = await accepted(asClient(trusted));
  const bringBack = takeAway();
  await untilIdentityIsAsked();
  healNode();
  bringBack();
  return requestId;
}

/**
 * Waits until identity is asked; the node stays down until then: an attempt that looked the wallets up before would
 * succeed.
 */
async function untilIdentityIsAsked(): Promise<void> {
  const count = () => world.book.asked.filter((path) => path === '/internal/wallets/of-account').length;
  const before = count();
  await until('identity is asked', () => count() > before);
}
