import { beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import type { OAuthBrowser } from './oauth-browser.js';
import { listSignIns } from './list-sign-ins.js';
import { type Application, CALLBACK, OAuthWorld, proofKey } from './oauth-world.js';

const REFUSED = { status: 400, error: 'invalid_grant' };

describe('refresh tokens', () => {
  let world: OAuthWorld;
  let shop: Application;
  let other: Application;
  let spa: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    [shop, other, spa] = await Promise.all([
      world.application({ scopes: ['user:wallet:read'] }),
      world.application(),
      world.application({ type: 'public' }),
    ]);
    alice = await world.user();
  });

  const isDead = async (token: string): Promise<void> => {
    expect(await world.introspect(shop, token)).toEqual({ active: false });
    await until('the gateway refuses the token', async () => (await world.me(token)) === 401);
  };

  const begin = async () => {
    const code = await world.code(alice, shop, { scope: 'user:read offline_access' });
    return world.exchange(shop, code);
  };
  const refresh = (refreshToken = '', more: Record<string, string> = {}) =>
    world.token(shop, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more });
  const passGrace = () =>
    world.query(`UPDATE identity.oauth_models SET consumed_at = consumed_at - interval '1 minute'`);

  it('refresh tokens: are exchanged for new ones', async () => {
    const first = await begin();
    expect(first).toMatchObject({ status: 200, scope: 'user:read offline_access' });
    const second = await refresh(first.refresh_token);
    expect(second).toMatchObject({ status: 200, scope: 'user:read offline_access' });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await world.me(second.access_token)).toBe(200);
    const less = await refresh(second.refresh_token, { scope: 'user:read' });
    expect(less).toMatchObject({ status: 200, scope: 'user:read' });
    expect(await refresh(less.refresh_token, { scope: 'user:wallet:read' })).toMatchObject({
      status: 400,
      error: 'invalid_scope',
    });
  });

  it('refresh tokens: are no sign-in of their own', async () => {
    const app = await world.application();
    const code = await world.code(alice, app, { scope: 'user:read offline_access' });
    const { refresh_token = '', access_token } = await world.exchange(app, code);
    const refreshed = await world.token(app, { grant_type: 'refresh_token', refresh_token });
    expect(refreshed.status).toBe(200);
    await world.token(app, { grant_type: 'client_credentials' });
    const userId = String((await world.introspect(app, access_token))['sub']);
    expect(await listSignIns(world.suite.databaseUrl, app.clientId)).toEqual([userId]);
  });

  it('refresh tokens: belong to one client', async () => {
    const { refresh_token = '' } = await begin();
    expect(await world.token(other, { grant_type: 'refresh_token', refresh_token })).toMatchObject(REFUSED);
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  it('refresh tokens: have one successor, also if two instances of a confidential client use them concurrently', async () => {
    const { refresh_token } = await begin();
    const answers = await Promise.all([
      refresh(refresh_token),
      refresh(refresh_token),
      refresh(refresh_token),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.refresh_token)).size).toBe(1);
    expect((await refresh(answers[0].refresh_token)).status).toBe(200);
  });

  it('T58: refresh tokens: revoke the family when a confidential client reuses one whose successor was used', async () => {
    const [victim, first] = [await begin(), await begin()];
    const second = await refresh(first.refresh_token);
    expect((await refresh(first.refresh_token)).refresh_token).toBe(second.refresh_token);
    const third = await refresh(second.refresh_token);
    expect(third.status).toBe(200);
    expect(await refresh(first.refresh_token)).toMatchObject(REFUSED);
    expect(await refresh(third.refresh_token)).toMatchObject(REFUSED);
    for (const { access_token } of [first, second, third]) await isDead(access_token);
    expect((await refresh(victim.refresh_token)).status).toBe(200);
  });

  it('T58: refresh tokens: revoke the family when a public client reuses one, also within seconds', async () => {
    const { verifier, challenge } = proofKey();
    const code = await world.code(alice, spa, {
      scope: 'user:read offline_access',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const exchange = async (fields: Record<string, string>) => {
      const response = await world.post('/oauth2/token', { client_id: spa.clientId, ...fields });
      return (await response.json()) as Record<string, string | undefined>;
    };
    const use = ({ refresh_token = '' }: Record<string, string | undefined>) =>
      exchange({ grant_type: 'refresh_token', refresh_token });
    const redirect = { redirect_uri: CALLBACK, code_verifier: verifier };
    const first = await exchange({ grant_type: 'authorization_code', code, ...redirect });
    const second = await use(first);
    expect(second['refresh_token']).toEqual(expect.any(String));
    expect(await use(first)).toMatchObject({ error: 'invalid_grant' });
    expect(await use(second)).toMatchObject({ error: 'invalid_grant' });
    for (const { access_token = '' } of [first, second]) await isDead(access_token);
  });

  it('refresh tokens: revoke the whole family when an old one is reused', async () => {
    const first = await begin();
    const second = await refresh(first.refresh_token);
    const third = await refresh(second.refresh_token);
    await passGrace();
    expect(await refresh(first.refresh_token)).toMatchObject(REFUSED);
    expect(await refresh(third.refresh_token)).toMatchObject(REFUSED);
    for (const { access_token } of [first, second, third]) await isDead(access_token);
  });

  it('refresh tokens: are issued only if requested', async () => {
    const code = await world.code(alice, shop, { scope: 'user:read' });
    expect((await world.exchange(shop, code)).refresh_token).toBeUndefined();
  });
});
