import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OAuthBrowser } from './oauth-browser.js';
import { listSignIns } from './list-sign-ins.js';
import { type Application, CALLBACK, OAuthWorld } from './oauth-world.js';

describe('the implicit flow', () => {
  let world: OAuthWorld;
  let single: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    single = await world.application({
      implicit: true,
      redirectUris: [CALLBACK, 'http://localhost:3000/oauth2'],
    });
    alice = await world.user();
  });

  const implicit = (more: Record<string, string> = {}) => ({
    response_type: 'token',
    client_id: single.clientId,
    redirect_uri: CALLBACK,
    scope: 'user:read',
    state: 'a b',
    ...more,
  });

  it('implicit flow: returns the token in the fragment', async () => {
    const back = await world.authorize(alice, implicit());
    expect(back.search).toBe('');
    const { access_token, ...rest } = Object.fromEntries(new URLSearchParams(back.hash.slice(1)));
    expect(rest).toEqual({
      token_type: 'Bearer',
      expires_in: '3600',
      scope: 'user:read',
      state: 'a b',
      iss: world.origin,
    });
    expect(await world.me(access_token ?? '')).toBe(200);
    const token = await world.introspect(single, access_token ?? '');
    expect(token).toMatchObject({ active: true });
    expect(await listSignIns(world.suite.databaseUrl, single.clientId)).toContain(token['sub']);
  });

  it('implicit flow: works with loopback redirect URIs', async () => {
    const back = await world.authorize(
      alice,
      implicit({ redirect_uri: 'http://[::1]:5000/oauth2/done.html' }),
    );
    expect(back.href).toMatch(/^http:\/\/\[::1\]:5000\/oauth2\/done\.html#access_token=/);
  });

  it('implicit flow: supports no other response mode and no refresh tokens', async () => {
    const query = await world.authorize(alice, implicit({ response_mode: 'query' }));
    expect(new URLSearchParams(query.search || query.hash.slice(1)).get('error')).toBe(
      'unsupported_response_mode',
    );
    const offline = await world.authorize(alice, implicit({ scope: 'user:read offline_access' }));
    const answer = Object.fromEntries(new URLSearchParams(offline.hash.slice(1)));
    expect(answer).toMatchObject({ scope: 'user:read' });
    expect(answer['refresh_token']).toBeUndefined();
  });

  it('implicit flow: returns errors in the fragment', async () => {
    const back = await world.authorize(alice, implicit({ prompt: 'consent' }), 'deny');
    const answer = Object.fromEntries(new URLSearchParams(back.hash.slice(1)));
    expect(answer).toMatchObject({ error: 'access_denied', state: 'a b', iss: world.origin });
    expect(back.search).toBe('');
  });
});
