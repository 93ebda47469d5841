import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { basic, OAuthWorld } from './oauth-world.js';
import { queryDatabase } from './query-database.js';

describe('revoking wallet tokens and credentials', () => {
  let suite: RunningSuite;
  let shop: WalletAtTheGateway;
  let other: WalletAtTheGateway;

  beforeAll(async () => {
    ({ suite } = await OAuthWorld.lease());
    [shop, other] = [await WalletAtTheGateway.start(suite), await WalletAtTheGateway.start(suite)];
  });

  const ask = async (path: string, fields: Record<string, string>, authorization?: string) => {
    const response = await fetch(`${suite.gatewayUrl}${path}`, {
      method: 'POST',
      headers: authorization === undefined ? {} : { authorization },
      body: new URLSearchParams(fields),
    });
    const body = (await response.json()) as { error?: string; exp?: number; iat?: number };
    return { status: response.status, retryAfter: response.headers.get('retry-after'), ...body };
  };
  const revoke = (token: string, by = shop, more: Record<string, string> = {}) =>
    ask('/oauth2/revoke', { token, ...more }, basic(by.client));
  const introspect = (token: string) => ask('/oauth2/introspect', { token }, basic(shop.client));

  const textOf = (authorization: string): string => authorization.split(' ')[1] ?? '';
  const make = {
    AE: (wallet: WalletAtTheGateway) => wallet.aeToken(wallet.owner.address),
    Ethereum: (wallet: WalletAtTheGateway) => wallet.credential(wallet.owner.address),
  };
  const status = async (authorization: string): Promise<number> => (await shop.me({ authorization })).status;
  const expectRevoked = (authorization: string) =>
    until('the gateway refuses it', async () => (await status(authorization)) === 401);
  const revokedCount = async (): Promise<number> =>
    (await queryDatabase(suite.databaseUrl, 'SELECT 1 FROM identity.revoked_tokens')).length;

  describe.each(['AE', 'Ethereum'] as const)('of the scheme %s', (scheme) => {
    it('revoking wallet tokens and credentials: revokes one token at the gateway, and no other', async () => {
      const [revoked, mine, theirs] = await Promise.all([
        make[scheme](shop),
        make[scheme](shop),
        make[scheme](other),
      ]);
      for (const token of [revoked, mine, theirs]) expect(await status(token)).toBe(200);
      expect((await revoke(textOf(revoked))).status).toBe(200);
      await expectRevoked(revoked);
      expect((await shop.me({ authorization: revoked, ...shop.key })).status).toBe(401);
      for (const token of [mine, theirs]) expect(await status(token)).toBe(200);
      // Idempotent, and a wrong hint does not matter.
      expect((await revoke(textOf(revoked), shop, { token_type_hint: 'refresh_token' })).status).toBe(200);
      expect((await revoke(textOf(mine), shop, { token_type_hint: 'refresh_token' })).status).toBe(200);
      await expectRevoked(mine);
    });

    it('revoking wallet tokens and credentials: requires the authenticated client application of the token', async () => {
      const token = await make[scheme](shop);
      expect(await revoke(textOf(token), other)).toMatchObject({ status: 400, error: 'invalid_request' });
      const wrong = { ...shop.client, clientSecret: `${shop.client.clientSecret}x` };
      expect((await ask('/oauth2/revoke', { token: textOf(token) }, basic(wrong))).status).toBe(401);
      const inBody = { token: textOf(token), client_id: shop.client.clientId };
      expect((await ask('/oauth2/revoke', inBody)).status).toBe(401);
      expect(await status(token)).toBe(200);
      expect(
        (await ask('/oauth2/revoke', { ...inBody, client_secret: shop.client.clientSecret })).status,
      ).toBe(200);
      await expectRevoked(token);
    });

    it('revoking wallet tokens and credentials: ignores altered tokens', async () => {
      const token = await make[scheme](shop);
      const text = textOf(token);
      const before = await revokedCount();
      const [head = '', ...rest] = text.split('.');
      const changed = [
        `${text}=`,
        `${text}==`,
        `${head}=.${rest.join('.')}`,
        `${text} `,
        `${text}!`,
        `${text}.${text}`,
        `${text}\u0000`,
        `${head.slice(0, -1)}.${rest.join('.')}`,
        `${head}A.${rest.join('.')}`,
        text.slice(1),
        text.slice(0, -1),
        text.slice(0, 20),
        head,
        `${head}.`,
        `.${rest.join('.')}`,
        `${scheme} ${text}`,
      ];
      for (const one of changed) {
        const answer = await revoke(one);
        expect([one, answer.status]).toEqual([one, one.includes('\u0000') ? 400 : 200]);
      }
      expect(await revokedCount()).toBe(before);
      expect(await status(token)).toBe(200);
    });
  });

  it('revoking wallet tokens and credentials: introspects an AE token as active until it is revoked', async () => {
    const token = textOf(await make.AE(shop));
    const introspection = await introspect(token);
    expect(introspection).toMatchObject({
      active: true,
      client_id: shop.client.clientId,
      scope: '$public user:read',
      token_type: 'AE',
      iss: suite.gatewayUrl,
    });
    expect((introspection.exp ?? 0) - (introspection.iat ?? 0)).toBe(3_600);
    await revoke(token);
    expect(await introspect(token)).toMatchObject({ status: 200, active: false });
    // Introspection does not verify Ethereum credentials.
    expect(await introspect(textOf(await make.Ethereum(shop)))).toMatchObject({ status: 200, active: false });
  });

  it('revoking wallet tokens and credentials: is refused with 429 over the quota', async () => {
    const use = (subject: string, used: number, rest = "interval '20 minutes'") =>
      queryDatabase(
        suite.databaseUrl,
        `INSERT INTO identity.revocation_quotas (subject, used, ends_at) VALUES ($1, $2, now() + ${rest})
         ON CONFLICT (subject) DO UPDATE SET used = excluded.used, ends_at = excluded.ends_at`,
        [subject, used],
      );
    const [token, theirs] = [await make.AE(shop), await make.AE(other)];
    const [row] = (await queryDatabase(
      suite.databaseUrl,
      'SELECT owner_id AS "ownerId" FROM identity.client_applications WHERE id = $1',
      [shop.client.clientId],
    )) as { ownerId: string }[];
    const tenant = `tenant ${String(row?.ownerId)}`;
    await use(tenant, 20_000);
    const refused = await revoke(textOf(token));
    expect(refused).toMatchObject({ status: 429, error: 'temporarily_unavailable' });
    expect(Number(refused.retryAfter)).toBeGreaterThan(1_000);
    expect(await status(token)).toBe(200);
    expect((await revoke(textOf(theirs), other)).status).toBe(200);
    await expectRevoked(theirs);
    await use(tenant, 20_001, "interval '-1 second'");
    expect((await revoke(textOf(token))).status).toBe(200);
    await expectRevoked(token);
  });

  it('revoking wallet tokens and credentials: counts on the user for a public client', async () => {
    await queryDatabase(
      suite.databaseUrl,
      `DELETE FROM identity.revocation_quotas WHERE subject LIKE 'user %'`,
    );
    const open = await WalletAtTheGateway.start(suite);
    await queryDatabase(
      suite.databaseUrl,
      `UPDATE identity.client_applications SET type = 'public' WHERE id = $1`,
      [open.client.clientId],
    );
    const token = await make.AE(open);
    const form = { token: textOf(token), client_id: open.client.clientId };
    expect((await ask('/oauth2/revoke', form)).status).toBe(200);
    await expectRevoked(token);
    const subjects = `SELECT left(subject, 5) AS kind FROM identity.revocation_quotas WHERE subject LIKE 'user %'`;
    expect(await queryDatabase(suite.databaseUrl, subjects)).toEqual([{ kind: 'user ' }]);
  });
});
