import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { createTokenKeyPolicy } from '../../apps/identity/src/tokens/keys/key-material.js';
import { type Application, basic, OAuthWorld } from './oauth-world.js';
import { queryDatabase } from './query-database.js';

const LIFETIME_SECONDS = 3 * 3_600;

describe('with another ACCESS_TOKEN_LIFETIME_SECONDS', () => {
  let world: OAuthWorld;
  let shop: Application;

  beforeAll(async () => {
    world = await OAuthWorld.start({ ACCESS_TOKEN_LIFETIME_SECONDS: String(LIFETIME_SECONDS) });
    shop = await world.application({ scopes: ['token-gating'] });
  });

  afterAll(() => world.stop());

  const lifetimeOf = (token: string): number => {
    const { iat = 0, exp = 0 } = decodeJwt(token);
    return exp - iat;
  };

  const revocationOf = async (token: string): Promise<number> => {
    const { jti = '' } = decodeJwt(token);
    const rows = await queryDatabase(
      world.suite.databaseUrl,
      `SELECT extract(epoch FROM expires_at)::int AS "expiresAt" FROM identity.revoked_tokens WHERE id = '${jti}'`,
    );
    return (rows as { expiresAt: number }[])[0]?.expiresAt ?? 0;
  };

  it('with another ACCESS_TOKEN_LIFETIME_SECONDS: a revoked client-credentials token stays revoked until it expires', async () => {
    const { access_token, expires_in } = await world.token(shop, { grant_type: 'client_credentials' });
    expect([expires_in, lifetimeOf(access_token)]).toEqual([LIFETIME_SECONDS, LIFETIME_SECONDS]);
    const answer = await world.post(
      '/oauth2/revoke',
      { token: access_token },
      { authorization: basic(shop) },
    );
    expect(answer.status).toBe(200);
    expect(await revocationOf(access_token)).toBeGreaterThanOrEqual(decodeJwt(access_token).exp ?? Infinity);
  });

  it("with another ACCESS_TOKEN_LIFETIME_SECONDS: a user's access and id tokens live as long, and a revocation outlives them", async () => {
    const user = await world.user();
    const code = await world.code(user, shop, { scope: 'openid user:read' });
    const { access_token, id_token = '' } = await world.exchange(shop, code);
    expect([lifetimeOf(access_token), lifetimeOf(id_token)]).toEqual([LIFETIME_SECONDS, LIFETIME_SECONDS]);
    await world.post('/oauth2/revoke', { token: access_token }, { authorization: basic(shop) });
    expect(await revocationOf(access_token)).toBeGreaterThanOrEqual(decodeJwt(access_token).exp ?? Infinity);
  });

  it('with another ACCESS_TOKEN_LIFETIME_SECONDS: signing keys stay published until the tokens they signed expire', () => {
    const config = {
      ACCESS_TOKEN_LIFETIME_SECONDS: LIFETIME_SECONDS,
      TOKEN_KEY_SECRET: Buffer.alloc(32),
      TOKEN_KEY_LIFETIME_MS: 86_400_000,
      TOKEN_KEY_PUBLISH_AHEAD_MS: 0,
    };
    for (const use of ['access', 'id-rs256', 'id-es256', 'ae'] as const)
      expect(createTokenKeyPolicy(use, config).retentionMs).toBeGreaterThan(LIFETIME_SECONDS * 1_000);
  });
});
