import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { databasePool } from '../support/database-pool.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';
import { OperatorPortal } from './operator-portal.js';
import { runCommand } from './run-command.js';

const PAYEE = '0x00000000000000000000000000000000000a11ce';
const FREEZES = '/accountkit/v2/operator/freezes';
const REASON = { reason: 'A key was found in a log' };

const operator = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());

let kit: AccountKitSuite;
let pool: pg.Pool;
let asOperator: { authorization: string };
let asStranger: { authorization: string };
let account: Address;

beforeAll(async () => {
  kit = await startAccountKitSuite({
    DEFAULT_POLICY: 'deny',
    OPERATOR_ACCOUNTS: `eip155:1:${operator.address}`,
  });
  pool = databasePool(kit.suite.databaseUrl);
  const portal = await OperatorPortal.create(kit.suite);
  [asOperator, asStranger] = [await portal.signIn(operator), await portal.signIn(stranger)];
  const { body } = await kit.call<{ evm: { address: Address }[] }>('/accountkit/v1/chatbot/accounts', {
    headers: bot(),
  });
  const [first] = body.evm;
  if (!first) throw new Error('there is no account');
  account = first.address;
  await kit.chain.setNativeBalance(account, 10n ** 18n);
});

afterAll(async () => {
  await pool.end();
  await kit.stop();
});

const bot = () => ({ 'X-BOT-TOKEN': kit.platforms.botToken('9001') });
const pay = () =>
  kit.call(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`, {
    method: 'POST',
    headers: bot(),
    body: { target: PAYEE, callData: '0x', value: '1' },
  });
const policyOf = (clientId: string) => `/accountkit/v2/operator/client-applications/${clientId}/policy`;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Without the API key: the credential of the user is the only one. */
async function ask(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = asOperator,
): Promise<Answer> {
  const response = await fetch(kit.suite.gatewayUrl + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

const failure = (status: number, code: string) => ({ status, body: { error: { details: { code } } } });
const audited = async (target: string) => {
  const { rows } = await pool.query<{ action: string; details: unknown }>(
    `SELECT action, details FROM identity.audit_records
     WHERE target = $1 AND actor_kind = 'operator' ORDER BY id`,
    [target],
  );
  return rows;
};
const countAudited = async () => {
  const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int FROM identity.audit_records');
  return rows[0]?.count;
};

describe('the policy of a client application', () => {
  it('policy of a client application: is set, shown and removed by operators, and decides about the next request', async () => {
    const { clientId } = kit.client;
    const path = policyOf(clientId);
    expect(await pay()).toMatchObject(failure(403, 'policy_forbidden'));
    expect(await ask('GET', path)).toMatchObject(failure(404, 'policy_not_found'));
    const policy = {
      calls: [{ chainId: kit.chain.chainId, target: 'any', selectors: ['0x'] }],
      maxValue: '1000',
    };
    expect(await ask('PUT', path, policy)).toMatchObject({ status: 200 });
    expect(await pay()).toMatchObject({ status: 200 });
    // Other operations of the account are refused until it is deployed.
    await until('the account is deployed', async () => {
      const code = await kit.chain.client.getCode({ address: account });
      return code !== undefined;
    });
    expect(await ask('GET', path)).toMatchObject({ status: 200, body: { policy } });
    // The command and the operation read and write the same policy.
    const { stdout } = await runCommand('policies', ['show', '--client', clientId], {
      env: { DATABASE_URL: kit.suite.databaseUrl },
    });
    expect(JSON.parse(stdout)).toMatchObject(policy);
    expect(await ask('DELETE', path)).toMatchObject({ status: 200 });
    expect(await pay()).toMatchObject(failure(403, 'policy_forbidden'));
    expect(await ask('DELETE', path)).toMatchObject(failure(404, 'policy_not_found'));
    expect(await audited(clientId)).toEqual([
      { action: 'account-policy.viewed', details: {} },
      { action: 'account-policy.set', details: { policy: expect.objectContaining(policy) } },
      { action: 'account-policy.viewed', details: {} },
      { action: 'account-policy.removed', details: {} },
      { action: 'account-policy.removed', details: {} },
    ]);
  });

  it('policy of a client application: is not changed by an operator who has read another revision of it', async () => {
    const { clientId } = await kit.suite.createClient({ scopes: ['accountkit'] });
    const path = policyOf(clientId);
    const readRevision = async (): Promise<string> => {
      const { body } = await ask('GET', path);
      return (body as { revision: string }).revision;
    };
    const set = (maxValue: string, revision: string) =>
      ask('PUT', `${path}?revision=${revision}`, { maxValue });

    const first = await Promise.all([set('1', 'none'), set('2', 'none')]);
    expect(first.map(({ status }) => status).sort()).toEqual([200, 409]);
    const revision = await readRevision();
    expect(await set('3', 'none')).toMatchObject(failure(409, 'policy_conflict'));
    const second = await Promise.all([set('4', revision), set('5', revision)]);
    expect(second.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await ask('DELETE', `${path}?revision=${revision}`)).toMatchObject(
      failure(409, 'policy_conflict'),
    );
    expect(await ask('DELETE', `${path}?revision=${await readRevision()}`)).toMatchObject({ status: 200 });
    // The policy was removed in between.
    expect(await set('6', revision)).toMatchObject(failure(409, 'policy_conflict'));
  });

  it('policy of a client application: must be a policy, of a client application that exists', async () => {
    expect(await ask('PUT', policyOf(kit.client.clientId), { maxValue: '01' })).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path: 'maxValue' }] } } },
    });
    expect(await ask('PUT', policyOf('client_of_nobody'), {})).toMatchObject(
      failure(404, 'client_not_found'),
    );
    const { rows } = await pool.query('SELECT client_id FROM account_kit.policies');
    expect(rows).toEqual([]);
  });
});

describe('a freeze', () => {
  beforeAll(() => ask('PUT', policyOf(kit.client.clientId), { calls: [anyPayment()], maxValue: '1000' }));

  const anyPayment = () => ({ chainId: kit.chain.chainId, target: 'any' });
  const subjects = () => ({
    account: `account:${account}`,
    application: `application:${kit.client.clientId}`,
    chain: `chain:${kit.chain.chainId}`,
    everything: 'everything',
  });

  it.each(['account', 'application', 'chain', 'everything'] as const)(
    'of this scope stops signing until it is removed: %s',
    async (scope) => {
      const id = subjects()[scope];
      expect(await pay()).toMatchObject({ status: 200 });
      expect(await ask('PUT', `${FREEZES}/${id}`, REASON)).toMatchObject({ status: 200 });
      expect(await pay()).toMatchObject(failure(403, 'frozen'));
      expect(await ask('GET', FREEZES)).toMatchObject({
        status: 200,
        body: { items: [{ id, scope, ...REASON }] },
      });
      const { stdout } = await runCommand('freeze', ['show'], {
        env: { DATABASE_URL: kit.suite.databaseUrl },
      });
      expect(stdout).toContain(REASON.reason);
      expect(await ask('DELETE', `${FREEZES}/${id}`)).toMatchObject({ status: 200 });
      expect(await ask('DELETE', `${FREEZES}/${id}`)).toMatchObject(failure(404, 'freeze_not_found'));
      expect(await pay()).toMatchObject({ status: 200 });
      const target = scope === 'application' ? kit.client.clientId : id;
      expect(await audited(target)).toEqual(
        expect.arrayContaining([
          { action: 'freeze.set', details: REASON },
          { action: 'freeze.removed', details: {} },
        ]),
      );
    },
  );

  it('freeze that the command has set: is removed over HTTP, by a Solana address, too', async () => {
    const { body } = await kit.call<{ solana: { address: string }[] }>('/accountkit/v1/chatbot/accounts', {
      headers: bot(),
    });
    await runCommand('freeze', ['set', '--account', account, '--reason', 'test'], {
      env: { DATABASE_URL: kit.suite.databaseUrl },
    });
    expect(await pay()).toMatchObject(failure(403, 'frozen'));
    const id = `account:${String(body.solana[0]?.address)}`;
    expect(await ask('DELETE', `${FREEZES}/${id}`)).toMatchObject({ status: 200 });
    expect(await pay()).toMatchObject({ status: 200 });
  });

  it.each([
    ['an account of nobody', `account:${PAYEE}`, REASON, failure(404, 'account_not_found')],
    ['an application of nobody', 'application:client_1', REASON, failure(404, 'client_not_found')],
    ['no reason', 'everything', { reason: ' ' }, failure(400, 'input_invalid')],
    ['a name of nothing', 'planet:1', REASON, failure(400, 'input_invalid')],
    ['everything of something', 'everything:1', REASON, failure(400, 'input_invalid')],
    ['a chain by name', 'chain:mainnet', REASON, failure(400, 'input_invalid')],
  ])('freeze: is refused for %s', async (_, id, body, expected) => {
    expect(await ask('PUT', `${FREEZES}/${id}`, body)).toMatchObject(expected);
    expect(await ask('GET', FREEZES)).toMatchObject({ body: { items: [] } });
  });
});

describe('everybody but operators', () => {
  const calls = () =>
    [
      ['GET', policyOf(kit.client.clientId)],
      ['PUT', policyOf(kit.client.clientId), {}],
      ['DELETE', policyOf(kit.client.clientId)],
      ['GET', FREEZES],
      ['PUT', `${FREEZES}/everything`, REASON],
      ['DELETE', `${FREEZES}/everything`],
    ] as const;

  it.each([
    ['another user with the scope', () => asStranger, 403],
    ['a client application', () => ({ 'x-api-key': kit.client.apiKey }), 401],
    ['nobody', () => ({}), 401],
  ])('is refused, without a trace: %s', async (_, headers, status) => {
    const before = await countAudited();
    for (const [method, path, body] of calls())
      expect(await ask(method, path, body, headers())).toMatchObject({ status });
    expect(await countAudited()).toBe(before);
    expect(await ask('GET', FREEZES)).toMatchObject({ body: { items: [] } });
  });

  it('caller who is no operator: is refused, and so are operators, while identity does not answer', async () => {
    const { url } = await kit.suite.another('account-kit', { IDENTITY_URL: 'http://127.0.0.1:1' });
    const gateway = await kit.suite.another('gateway', { ACCOUNT_KIT_URL: url });
    const response = await fetch(`${gateway.url}${FREEZES}`, { headers: asOperator });
    expect({ status: response.status, body: await response.json() }).toMatchObject(
      failure(503, 'identity_unavailable'),
    );
  });
});
