import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { LocalChain } from '../support/local-chain.js';
import type { Principal } from '@app/auth';
import { client, GatingApp } from './gating-app.js';
import { until } from '../support/until.js';

const outsider = '0x00000000000000000000000000000000000000aa';

describe('asynchronous checks', () => {
  let chain: LocalChain;
  let gating: GatingApp;
  let token: Address;
  let holder: Address;

  beforeAll(async () => {
    chain = await LocalChain.start();
    await chain.installMulticall3();
    holder = chain.client.account.address;
    ({ address: token } = await chain.deploy('DemoERC20', ['Coin', 'C', 0, holder, 100n]));
    gating = await GatingApp.start({
      RPC_URL_31337: chain.rpcUrl,
      SWEEP_INTERVAL_MS: '200',
      SWEEP_AFTER_MS: '1000',
    });
  });

  afterAll(async () => {
    await gating.stop();
    await chain.stop();
  });

  const rules = () => [
    { type: 'ERC20', chainId: 31337, contractAddress: token, minToken: '100', roleId: 'whale' },
  ];

  const requestCheck = (body: object = {}, headers: Record<string, string> = {}) =>
    gating.check({ account: holder, rules: rules(), async: true, ...body }, headers);

  const poll = (requestId: string) =>
    gating.request('GET', `/access-control/check-roles/responses/${requestId}`);

  const result = async (requestId: string) => {
    let response = await poll(requestId);
    await until('the check is finished', async () => {
      if (response.status !== 202) return true;
      expect(response.body).toEqual({ requestId });
      expect(response.headers.get('retry-after')).toBe('1');
      response = await poll(requestId);
      return false;
    });
    return response;
  };

  const idOf = ({ body }: { body: unknown }) => (body as { requestId: string }).requestId;

  const user = (id: string): Principal => ({ ...client, user: { id } });

  it('asynchronous checks: return an id at once and the roles when polled', async () => {
    const accepted = await requestCheck();
    expect(accepted.status).toBe(200);
    expect(accepted.body).toEqual({ requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const requestId = idOf(accepted);
    expect(await result(requestId)).toMatchObject({
      status: 200,
      body: { requestId, roles: [{ id: 'whale', granted: true }], errors: [] },
    });
    const denied = await requestCheck({ account: outsider });
    expect((await result(idOf(denied))).body).toMatchObject({
      roles: [{ id: 'whale', granted: false }],
      errors: [],
    });
  });

  it('asynchronous checks: are deduplicated by idempotency key, also when concurrent', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => requestCheck({}, key)));
    expect(new Set(answers.map(idOf)).size).toBe(1);
    const other = await requestCheck({ account: outsider }, key);
    expect([other.status, (other.body as { error: { name: string } }).error.name]).toEqual([
      409,
      'ConflictError',
    ]);
    for (const bad of ['', 'x'.repeat(256), 'a b']) {
      expect((await requestCheck({}, { 'Idempotency-Key': bad })).status).toBe(400);
    }
  });

  it('T66: asynchronous checks: keep the idempotency keys of an application and of each of its users apart', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const requestAs = (as: Principal, account: string) =>
      gating.check({ account, rules: rules(), async: true }, headers, as);
    // A user takes the key first, with another body.
    const callers = [user('user_1'), client, user('user_2')];
    const first = await Promise.all([
      requestAs(user('user_1'), outsider),
      requestAs(client, holder),
      requestAs(user('user_2'), holder),
    ]);
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(first.map(idOf)).size).toBe(3);
    const again = await Promise.all(
      callers.map((caller, index) => requestAs(caller, index === 0 ? outsider : holder)),
    );
    expect(again.map(idOf)).toEqual(first.map(idOf));
    expect((await requestAs(client, outsider)).status).toBe(409);
  });

  it('asynchronous checks of a user: are found by that user and by the key of the application, not by its other users', async () => {
    const requestBy = async (as: Principal) =>
      idOf(await gating.check({ account: holder, rules: rules(), async: true }, {}, as));
    const statusesFor = (requestId: string) =>
      Promise.all(
        [client, user('user_1'), user('user_2')].map(async (reader) => {
          const path = `/access-control/check-roles/responses/${requestId}`;
          const { status } = await gating.request('GET', path, undefined, {}, reader);
          const again = await gating.request('POST', `${path}/redeliveries`, undefined, {}, reader);
          return [status, again.status];
        }),
      );
    const ids = [await requestBy(client), await requestBy(user('user_1'))];
    await Promise.all(ids.map(result));
    // 409: without a callback there is nothing to send again.
    expect(await Promise.all(ids.map(statusesFor))).toEqual([
      [
        [200, 409],
        [200, 409],
        [200, 409],
      ],
      [
        [200, 409],
        [200, 409],
        [404, 404],
      ],
    ]);
  });

  it.each(['a:b:c', '123', '..', 'ünï', 'x'.repeat(300), randomUUID()])(
    'asynchronous checks: are not found by the id %s',
    async (id) => {
      const { status } = await poll(encodeURIComponent(id));
      expect([400, 404]).toContain(status);
    },
  );

  it('asynchronous checks: are validated before they are accepted', async () => {
    expect((await requestCheck({ rules: [{ type: 'NOPE' }] })).status).toBe(400);
    expect((await requestCheck({ rules: [{ type: 'NATIVE', chainId: 424242 }] })).status).toBe(400);
  });

  it.each([
    'http://127.0.0.1/hook',
    'https://127.0.0.1/hook',
    'https://127.1/hook',
    'https://0x7f000001/hook',
    'https://2130706433/hook',
    'https://[::1]/hook',
    'https://[::ffff:127.0.0.1]/hook',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/hook',
    'https://100.64.0.1/hook',
    'https://localhost./hook',
    'file:///etc/passwd',
    'ftp://example.org/hook',
    'https://user:secret@example.org/hook',
    'https://example.org:22/hook',
    'https://example.org:6379/hook',
  ])('asynchronous checks: reject the callback URL %s', async (callbackUrl) => {
    const { status, body } = await requestCheck({ callbackUrl, async: undefined });
    expect(status).toBe(400);
    const { error } = body as { error: { details: { issues: { path: string }[] } } };
    expect(error.details.issues.map(({ path }) => path)).toEqual(['callbackUrl']);
  });

  it('asynchronous checks: answer a redelivery with 409 without a callback and 404 for an unknown id', async () => {
    const requestId = idOf(await requestCheck());
    await result(requestId);
    const again = (id: string) =>
      gating.request('POST', `/access-control/check-roles/responses/${id}/redeliveries`);
    expect((await again(requestId)).status).toBe(409);
    expect((await again(randomUUID())).status).toBe(404);
  });
});
