import { beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import type { OAuthBrowser } from './oauth-browser.js';
import { type Application, OAuthWorld } from './oauth-world.js';

const REFUSED = { status: 400, error: 'invalid_grant' };

describe('refresh tokens', () => {
  let world: OAuthWorld;
  let shop: Application;
  let other: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    [shop, other] = await Promise.all([
      world.application({ scopes: ['user:wallet:read'] }),
      world.application(),
    ]);
    alice = await world.user();
  }, 60_000);

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

  it('are exchanged for new ones', async () => {
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

  it('belong to one client', async () => {
    const { refresh_token = '' } = await begin();
    expect(await world.token(other, { grant_type: 'refresh_token', refresh_token })).toMatchObject(REFUSED);
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  it('may be used by two tabs concurrently and stay valid', async () => {
    const { refresh_token } = await begin();
    const answers = await Promise.all([
      refresh(refresh_token),
      refresh(refresh_token),
      refresh(refresh_token),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await refresh(answers[0].refresh_token)).status).toBe(200);
    expect((await refresh(answers[2].refresh_token)).status).toBe(200);
  });

  it('revoke the whole family when an old one is reused', async () => {
    const first = await begin();
    const second = await refresh(first.refresh_token);
    const third = await refresh(second.refresh_token);
    await passGrace();
    expect(await refresh(first.refresh_token)).toMatchObject(REFUSED);
    expect(await refresh(third.refresh_token)).toMatchObject(REFUSED);
    for (const { access_token } of [first, second, third]) await isDead(access_token);
  });

  it('are issued only if requested', async () => {
    const code = await world.code(alice, shop, { scope: 'user:read' });
    expect((await world.exchange(shop, code)).refresh_token).toBeUndefined();
  });
});
