import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Principal, deriveUserId } from '@app/auth';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { listSignIns } from './list-sign-ins.js';
import { queryDatabase } from './query-database.js';
import { SignInWorld } from './sign-in-world.js';

const ORIGIN = 'https://shop.example';
const PUBLIC_URL = 'http://localhost:3000';

describe('the id token of a sign-in with Ethereum', () => {
  let world: SignInWorld;
  let shop: Principal;
  const wallet = privateKeyToAccount(generatePrivateKey());

  beforeAll(async () => {
    world = await SignInWorld.lease();
    shop = await world.client([ORIGIN, 'http://localhost:5173'], ['token-gating', 'user:wallet:read']);
  });

  const ask = async (more: object = {}) => {
    const { status, body } = await world.challenge(shop, { uri: `${ORIGIN}/login`, ...more });
    expect(status).toBe(200);
    return body;
  };

  const clientId = () => (shop.kind === 'caller' ? (shop.client?.id ?? '') : '');

  const sign = async (accountId?: string) => {
    const { requestId, message } = await ask(accountId === undefined ? {} : { accountId });
    return { requestId, message, signature: await wallet.signMessage({ message }) };
  };

  it('id token of a sign-in with Ethereum: is an AE token for the wallet that signed', async () => {
    const { requestId, signature } = await sign(`eip155:10:${wallet.address.toLowerCase()}`);
    const { status, body } = await world.login(shop, { requestId, signatureType: 'eip191', signature });
    expect(status).toBe(200);
    const { jti, iat, exp, ...claims } = await world.claimsOf(body.idToken);
    expect(claims).toEqual({
      iss: PUBLIC_URL,
      aud: PUBLIC_URL,
      sub: deriveUserId('ethereum', wallet.address.toLowerCase()),
      client_id: clientId(),
      scope: '$public user:read',
      wallet: `eip155:10:${wallet.address}`,
    });
    expect(exp - iat).toBe(3_600);
    expect(jti).toMatch(/^[0-9A-Za-z]{22}$/);
    expect(await listSignIns(world.database.url, clientId())).toContain(claims.sub);
  });

  it('id token of a sign-in with Ethereum: is for the signer if the challenge named no account', async () => {
    const { requestId, signature } = await sign();
    const { body } = await world.login(shop, { requestId, signature });
    expect((await world.claimsOf(body.idToken)).wallet).toBe(`eip155:1:${wallet.address}`);
    const named = await sign();
    const { status } = await world.login(shop, {
      requestId: named.requestId,
      signature: named.signature,
      accountId: wallet.address,
    });
    expect(status).toBe(200);
  });

  it('id token of a sign-in with Ethereum: has exactly the scopes in the signed message', async () => {
    const { requestId, message } = await ask({ resources: ['urn:scope:user:wallet:read'] });
    const signature = await wallet.signMessage({ message });
    const { body } = await world.login(shop, { requestId, signature });
    expect((await world.claimsOf(body.idToken)).scope).toBe('user:wallet:read');
  });

  it('id-tokens: resources of the message that are no scopes grant nothing', async () => {
    const resources = [
      'urn:client:client_1',
      'https://shop.example/#credential',
      'urn:scope:user:read',
      'a:user:write',
    ];
    const { requestId, message } = await ask({ resources });
    const { body } = await world.login(shop, { requestId, signature: await wallet.signMessage({ message }) });
    expect((await world.claimsOf(body.idToken)).scope).toBe('user:read');
  });

  it('id token of a sign-in with Ethereum: has at most the scopes of the request', async () => {
    const loginFor = async (scopes: string[] | string) => {
      const { requestId, message } = await ask({
        resources: ['urn:scope:user:read', 'urn:scope:user:wallet:read'],
      });
      return world.login(shop, { requestId, signature: await wallet.signMessage({ message }), scopes });
    };
    const scopeOf = async (scopes: string[] | string) =>
      (await world.claimsOf((await loginFor(scopes)).body.idToken)).scope;
    expect(await scopeOf(['user:wallet:read', 'token-gating'])).toBe('user:wallet:read');
    expect(await scopeOf(['urn:scope:user:read'])).toBe('user:read');
    expect(await scopeOf(['user:wallet:read', 'user:read'])).toBe('user:read user:wallet:read');
    expect(await scopeOf('user:wallet:read')).toBe('user:wallet:read');
    expect(await scopeOf(' user:wallet:read  urn:scope:user:read')).toBe('user:read user:wallet:read');
    for (const [scopes, path] of [
      [['token-gating'], 'scopes'],
      [['user:read', 'all'], 'scopes.1'],
      [[], 'scopes'],
      ['', 'scopes'],
      ['user:read all', 'scopes.1'],
    ] as [string[] | string, string][]) {
      const { status, error } = await loginFor(scopes);
      expect([status, error?.details.issues?.map((issue) => issue.path)]).toEqual([400, [path]]);
    }
  });

  it('loginBySiwe: reads the words of published clients: signatureType SIWE, and lists as text with spaces', async () => {
    const { requestId, message } = await ask({ resources: 'urn:scope:user:read urn:scope:user:wallet:read' });
    expect(message).toContain('Resources:\n- urn:scope:user:read\n- urn:scope:user:wallet:read');
    const { status, body } = await world.login(shop, {
      requestId,
      signatureType: 'SIWE',
      signature: await wallet.signMessage({ message }),
      scopes: 'user:read user:wallet:read',
    });
    expect(status).toBe(200);
    expect((await world.claimsOf(body.idToken)).scope).toBe('user:read user:wallet:read');
    for (const signatureType of ['EIP191', 'siwe', 'Eip6492']) {
      const challenge = await ask({});
      const signature = await wallet.signMessage({ message: challenge.message });
      const answer = await world.login(shop, { requestId: challenge.requestId, signatureType, signature });
      expect([signatureType, answer.status]).toEqual([signatureType, 200]);
    }
    const refused = await world.login(shop, { requestId, signatureType: 'siwx', signature: '0x' });
    expect([refused.status, refused.error?.details.issues?.map(({ path }) => path)]).toEqual([
      400,
      ['signatureType'],
    ]);
  });

  it('id token of a sign-in with Ethereum: is issued to only one of ten concurrent requests', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { requestId, signature } = await sign();
      const attempts = Array.from({ length: 10 }, () => world.login(shop, { requestId, signature }));
      const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
    }
  });

  it('id token of a sign-in with Ethereum: is not stored in tables or logs', async () => {
    const { requestId, signature } = await sign();
    const { body } = await world.login(shop, { requestId, signature });
    const { jti } = await world.claimsOf(body.idToken);
    const lines = [signature, body.idToken, jti, requestId].flatMap((text) =>
      world.app.logLines.filter((line) => line.includes(text)),
    );
    expect(lines).toEqual([]);
    expect(
      await queryDatabase(world.database.url, 'SELECT 1 FROM identity.sign_in_challenges WHERE id = $1', [
        requestId,
      ]),
    ).toEqual([]);
  });

  it('id token of a sign-in with Ethereum: deletes expired challenges', async () => {
    await queryDatabase(
      world.database.url,
      `INSERT INTO identity.sign_in_challenges (id, client_id, namespace, message, expires_at)
       SELECT 'old_' || n, 'client_1', 'eip155', '', now() - interval '61 minutes' FROM generate_series(1, 15) n`,
    );
    await ask();
    await ask();
    const old = `SELECT id FROM identity.sign_in_challenges WHERE id LIKE 'old_%'`;
    expect(await queryDatabase(world.database.url, old)).toEqual([]);
  });
});
