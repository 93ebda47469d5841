import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { userIdOf } from '@app/auth';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Client } from '../support/create-client.js';
import { LocalChain } from '../support/local-chain.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { queryDatabase } from './query-database.js';

const ORIGIN = 'https://shop.example';

describe('a wallet at the gateway', () => {
  let chain: LocalChain;
  let suite: RunningSuite;
  let shop: Client;
  const owner = privateKeyToAccount(generatePrivateKey());

  beforeAll(async () => {
    chain = await LocalChain.start();
    suite = await runningSuite({ rpcUrls: { [chain.chainId]: chain.rpcUrl } });
    shop = await suite.createClient();
    await queryDatabase(suite.databaseUrl, 'UPDATE identity.client_applications SET origins = $1', [
      [ORIGIN],
    ]);
  });

  afterAll(async () => {
    await suite.stop();
    await chain.stop();
  });

  const post = async (path: string, headers: Record<string, string>, body: object) => {
    const response = await fetch(suite.gatewayUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };

  const challenge = async (more: object) => {
    const headers = { 'x-api-key': shop.apiKey };
    const { status, body } = await post('/ethereum-login/challenges', headers, {
      uri: `${ORIGIN}/`,
      ...more,
    });
    expect(status).toBe(200);
    const { requestId = '', message = '' } = body;
    return { requestId, message, signature: await owner.signMessage({ message }) };
  };

  const aeToken = async (accountId: string) => {
    const { requestId, signature } = await challenge({ accountId });
    const { status, body } = await post(
      '/ethereum-login/id-tokens',
      { 'x-api-key': shop.apiKey },
      { requestId, signature },
    );
    expect(status).toBe(200);
    return `AE ${body.idToken ?? ''}`;
  };

  const credential = async (accountId: string) => {
    const { message, signature } = await challenge({
      accountId,
      resources: [`${suite.gatewayUrl}/#credential`],
    });
    return `Ethereum ${Buffer.from(message).toString('base64url')}.${signature}`;
  };

  const me = async (headers: Record<string, string>) => {
    const response = await fetch(`${suite.gatewayUrl}/account/me`, { headers });
    return { status: response.status, body: (await response.json()) as { id?: string } };
  };

  const check = (headers: Record<string, string>) =>
    post('/access-control/check-roles', headers, {
      account: owner.address,
      rules: [{ type: 'NATIVE', chainId: chain.chainId, minToken: '1', roleId: '001' }],
    });

  it('opens its account with an AE token and with a credential, with and without the key', async () => {
    const id = userIdOf('ethereum', owner.address.toLowerCase());
    for (const authorization of [await aeToken(owner.address), await credential(owner.address)])
      for (const more of [{}, { 'x-api-key': shop.apiKey }] as Record<string, string>[]) {
        const { status, body } = await me({ authorization, ...more });
        expect([status, body]).toMatchObject([200, { id, platform: 'ethereum' }]);
      }
  });

  it('is a contract’s own account, on its chain', async () => {
    const { address } = await chain.deploy('SignerWallet', [owner.address]);
    const accountId = `eip155:${String(chain.chainId)}:${address}`;
    const id = userIdOf('ethereum', accountId.toLowerCase());
    for (const authorization of [await aeToken(accountId), await credential(accountId)])
      expect(await me({ authorization })).toMatchObject({ status: 200, body: { id } });
  });

  it('is needed at its account, and does not open checks', async () => {
    expect((await me({ 'x-api-key': shop.apiKey })).status).toBe(401);
    expect((await check({ 'x-api-key': shop.apiKey })).status).toBe(200);
    expect((await check({ authorization: await credential(owner.address) })).status).toBe(403);
  });

  it('has no token made for it with what only the client application may', async () => {
    const question = { uri: ORIGIN, resources: ['urn:scope:token-gating'] };
    for (const authorization of [await aeToken(owner.address), await credential(owner.address)])
      for (const path of ['/ethereum-login/challenges', '/ethereum-login/id-tokens'])
        expect((await post(path, { authorization }, question)).status).toBe(403);
    expect((await post('/ethereum-login/challenges', { 'x-api-key': shop.apiKey }, question)).status).toBe(
      200,
    );
  });

  it('presents no login as a credential', async () => {
    const { message, signature } = await challenge({ accountId: owner.address });
    const text = `${Buffer.from(message).toString('base64url')}.${signature}`;
    expect((await me({ authorization: `Ethereum ${text}` })).status).toBe(401);
  });
});
