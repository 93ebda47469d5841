import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { CreatedClientApplication } from '../../apps/identity/src/applications/insert-client-application.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import type { Created } from './application-owner.js';

const ORIGIN = 'https://portal.example';
const MANAGE = 'urn:scope:user:client-application:write';
const OPERATE = 'urn:scope:operator';

interface Reply<T> {
  status: number;
  body: T;
}

describe('the portal application', () => {
  let suite: RunningSuite;
  let portal: CreatedClientApplication;
  const developer = privateKeyToAccount(generatePrivateKey());
  const operator = privateKeyToAccount(generatePrivateKey());

  beforeAll(async () => {
    suite = await runningSuite({ env: { OPERATOR_ACCOUNTS: `eip155:1:${operator.address}` } });
    portal = await create('user:client-application:write,operator');
  });

  afterAll(async () => {
    await suite.stop();
  });

  const create = async (scopes: string): Promise<CreatedClientApplication> => {
    const flags = ['--name', 'portal', '--plan', 'paid', '--scopes', scopes, '--origins', ORIGIN, '--json'];
    return JSON.parse(await suite.clientCommand(['create', ...flags])) as CreatedClientApplication;
  };

  const ask = async <T = unknown>(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Reply<T>> => {
    const response = await fetch(suite.gatewayUrl + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
  };

  const signIn = async (
    wallet: PrivateKeyAccount,
    { apiKey }: CreatedClientApplication,
    resources: string[],
  ) => {
    const key = { 'x-api-key': apiKey };
    const challenge = await ask<{ requestId: string; message: string }>(
      'POST',
      '/ethereum-login/challenges',
      key,
      { uri: `${ORIGIN}/login`, accountId: `eip155:1:${wallet.address}`, resources },
    );
    if (challenge.status !== 200) return challenge.status;
    const { requestId, message } = challenge.body;
    const signature = await wallet.signMessage({ message });
    const login = await ask<{ idToken: string }>('POST', '/ethereum-login/id-tokens', key, {
      requestId,
      signature,
    });
    expect(login.status).toBe(200);
    return { authorization: `AE ${login.body.idToken}` };
  };

  const tokenOf = async (...args: Parameters<typeof signIn>) => {
    const token = await signIn(...args);
    if (typeof token === 'number') throw new Error(`no challenge: ${token}`);
    return token;
  };

  it('portal application: registers an application for its user, which an operator approves', async () => {
    const token = await tokenOf(developer, portal, [MANAGE]);
    const made = await ask<Created>('POST', '/client-applications', token, {
      name: 'shop',
      scopes: ['token-gating'],
    });
    expect(made.status).toBe(201);
    const { application, apiKey } = made.body;
    const check = () =>
      ask('GET', '/access-control/check-roles/responses/0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11', {
        'x-api-key': apiKey,
      });
    expect((await check()).status).toBe(403);
    const path = `/operator/client-applications/${application.clientId}/approvals`;
    // The operator scope alone is not enough.
    const notOperator = await tokenOf(developer, portal, [MANAGE, OPERATE]);
    expect((await ask('POST', path, notOperator, { revision: 1 })).status).toBe(403);
    const decided = await ask('POST', path, await tokenOf(operator, portal, [OPERATE]), { revision: 1 });
    expect(decided.status).toBe(200);
    await until('the gateway applies the change', async () => (await check()).status === 404);
    const renamed = await ask('PATCH', `/client-applications/${application.clientId}`, token, {
      name: 'Shop',
    });
    expect(renamed.status).toBe(200);
    const rejection = `/operator/client-applications/${application.clientId}/rejections`;
    const operators = await tokenOf(operator, portal, [OPERATE]);
    expect((await check()).status).toBe(404);
    const rejected = await ask('POST', rejection, operators, { revision: 2, reason: 'no' });
    expect(rejected.status).toBe(200);
    await until('the gateway applies that change, too', async () => (await check()).status === 403);
  });

  it('portal application: is the only application that may request its scopes', async () => {
    const other = await create('user:read');
    expect(await signIn(developer, other, [MANAGE])).toBe(403);
    expect(await signIn(operator, other, [OPERATE])).toBe(403);
    const token = await tokenOf(developer, other, ['urn:scope:user:read']);
    expect((await ask('GET', '/client-applications', token)).status).toBe(403);
    expect((await ask('GET', '/client-applications', { 'x-api-key': portal.apiKey })).status).toBe(401);
    expect((await ask('GET', '/client-applications', { ...token, 'x-api-key': portal.apiKey })).status).toBe(
      401,
    );
  });

  it('portal application: needs the scope at every request, not only when the token is issued', async () => {
    const former = await create('user:client-application:write');
    const token = await tokenOf(developer, former, [MANAGE]);
    const list = async () => (await ask('GET', '/client-applications', token)).status;
    expect(await list()).toBe(200);
    await suite.clientCommand(['set-scopes', former.clientId, '--scopes', 'user:read']);
    await until('the gateway applies the change', async () => (await list()) === 403);
  });
});
