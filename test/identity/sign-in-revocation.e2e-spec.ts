import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Principal, deriveUserId } from '@app/auth';
import { parseSignInMessage } from '@app/chain/sign-in';
import type { CredentialChanges, RevokedToken, RevokedTokensPage, Scope } from '@app/dto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { GATEWAY_ITSELF } from './identity-under-test.js';
import { queryDatabase } from './query-database.js';
import { signInServices } from './sign-in-services.js';
import { SignInWorld } from './sign-in-world.js';

const ORIGIN = 'https://shop.example';
const MARK = 'http://localhost:3000/#credential';

describe('revocation of wallet logins', () => {
  let world: SignInWorld;
  let services: Awaited<ReturnType<typeof signInServices>>;
  let shop: Principal;
  let other: Principal;
  const wallet = privateKeyToAccount(generatePrivateKey());
  const userId = deriveUserId('ethereum', wallet.address.toLowerCase());

  beforeAll(async () => {
    world = await SignInWorld.lease();
    services = await signInServices(world);
    [shop, other] = [await world.client([ORIGIN], ['user:wallet:write']), await world.client([ORIGIN])];
  });

  afterAll(async () => {
    await services.contracts.onApplicationShutdown();
  });

  const idOf = (client: Principal) => (client.kind === 'caller' ? (client.client?.id ?? '') : '');

  const signed = async (client: Principal, more: object) => {
    const { status, body } = await world.challenge(client, { uri: ORIGIN, ...more });
    expect(status).toBe(200);
    const { requestId, message } = body;
    return { requestId, message, signature: await wallet.signMessage({ message }) };
  };

  const signIn = async (client: Principal, scopes: Scope[] = []) => {
    const resources = scopes.map((scope) => `urn:scope:${scope}`);
    const { requestId, signature } = await signed(client, { resources });
    const { body } = await world.login(client, { requestId, signature });
    return { token: body.idToken, ...(await world.claimsOf(body.idToken)) };
  };

  const ask = async <T>(path: string) => (await (await world.identity.get(path, GATEWAY_ITSELF)).json()) as T;
  const revoked = async () => (await ask<RevokedTokensPage>('/internal/credentials/revoked-tokens')).tokens;
  const feed = (after: number) =>
    ask<CredentialChanges>(`/internal/credentials/changes?after=${String(after)}`);

  const idsOf = (tokens: readonly RevokedToken[]) => tokens.map(({ id }) => id).sort();

  it('revocation of wallet logins: revokes all tokens of one client application only', async () => {
    const first = await signIn(shop, ['user:wallet:write']);
    const second = await signIn(shop);
    const elsewhere = await signIn(other);
    const live = await services.tokens.listActiveLogins(userId);
    expect(live.map(({ clientId }) => clientId).sort()).toEqual([idOf(shop), idOf(other)].sort());
    const atShop = live.find(({ clientId }) => clientId === idOf(shop));
    expect(atShop?.scopes.sort()).toEqual(['$public', 'user:read', 'user:wallet:write']);
    const { last } = await feed(0);
    await services.tokens.revokeAllForClient(userId, idOf(shop));
    expect(idsOf((await feed(last)).revoked)).toEqual([first.jti, second.jti].sort());
    const listed = await revoked();
    expect(listed).toContainEqual({ id: first.jti, expiresAtMs: first.exp * 1_000 });
    expect(idsOf(listed)).not.toContain(elsewhere.jti);
    expect((await services.tokens.listActiveLogins(userId)).map(({ clientId }) => clientId)).toEqual([
      idOf(other),
    ]);
  });

  it('revocation of wallet logins: deletes expired tokens', async () => {
    await signIn(shop);
    await queryDatabase(
      world.database.url,
      `UPDATE identity.ae_tokens SET issued_at = now() - interval '2 hours', expires_at = now() WHERE user_id = $1`,
      [userId],
    );
    expect(await services.tokens.listActiveLogins(userId)).toEqual([]);
    await signIn(shop);
    const rows = 'SELECT 1 FROM identity.ae_tokens WHERE user_id = $1';
    expect(await queryDatabase(world.database.url, rows, [userId])).toHaveLength(1);
  });

  describe('the credential', () => {
    const credential = async (more: object = {}) => {
      const { message, signature, requestId } = await signed(shop, {
        accountId: wallet.address,
        resources: [MARK],
        ...more,
      });
      const parsed = parseSignInMessage(message);
      if (!parsed.ok) throw new Error(parsed.problem.reason);
      const text = `${Buffer.from(message).toString('base64url')}.${signature}`;
      return { text, requestId, signature, message: parsed.message };
    };

    it('revocation of wallet logins, credential: is a message for this service, valid for a day', async () => {
      const { message } = await credential({ resources: ['urn:scope:user:read', MARK] });
      const { issuedAt, expirationTime = '', ...said } = message;
      expect(said).toMatchObject({
        domain: 'localhost:3000',
        uri: 'http://localhost:3000',
        address: wallet.address,
        chainId: 1,
        resources: [MARK, `urn:client:${idOf(shop)}`, 'urn:scope:user:read'],
      });
      expect(Date.parse(expirationTime) - Date.parse(issuedAt)).toBe(24 * 3_600_000);
    });

    it('revocation of wallet logins, credential: cannot be exchanged for a login', async () => {
      const { requestId, signature } = await credential();
      expect((await world.login(shop, { requestId, signature })).status).toBe(401);
    });

    it('revocation of wallet logins, credential: is refused without an account, for Solana, and for scopes that write', async () => {
      const solana = '4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS';
      for (const [more, path] of [
        [{}, 'accountId'],
        [{ accountId: solana }, 'accountId'],
        [{ accountId: wallet.address, resources: [MARK, 'urn:scope:user:wallet:write'] }, 'resources.1'],
      ] as const) {
        const { status, error } = await world.challenge(shop, { uri: ORIGIN, resources: [MARK], ...more });
        expect([status, error?.details.issues?.map((issue) => issue.path)]).toEqual([400, [path]]);
      }
    });

    it('revocation of wallet logins, credential: is no message with the mark of another service, which is a login and grants nothing', async () => {
      const resources = ['https://other.example/#credential'];
      const { message, requestId, signature } = await credential({ resources });
      expect(message).toMatchObject({ domain: 'shop.example', resources: expect.arrayContaining(resources) });
      const { body } = await world.login(shop, { requestId, signature });
      expect((await world.claimsOf(body.idToken)).scope).toBe('$public user:read');
    });
  });
});
