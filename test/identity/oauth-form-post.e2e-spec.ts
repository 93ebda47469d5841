import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OAuthBrowser } from './oauth-browser.js';
import { type Application, CALLBACK, OAuthWorld } from './oauth-world.js';

describe('the page of response_mode=form_post', () => {
  let world: OAuthWorld;
  let shop: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    shop = await world.application();
    alice = await world.user();
    await world.code(alice, shop, { scope: 'user:read' });
  });

  const answer = (more: Record<string, string> = {}) =>
    alice.follow(
      world.authorizeUrl({
        response_type: 'code',
        response_mode: 'form_post',
        client_id: shop.clientId,
        redirect_uri: CALLBACK,
        scope: 'user:read',
        state: `"><script>alert(1)</script>`,
        ...more,
      }),
    );

  it.each([
    ['a code', 200, {}],
    ['an error', 400, { scope: 'accountkit' }],
  ])(
    'page of response_mode=form_post: allows only its own script, with %s',
    async (_, status, more: Record<string, string>) => {
      const { response } = await answer(more);
      expect(response.status).toBe(status);
      const html = await response.text();
      const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = '']) => script);
      expect(scripts).toHaveLength(1);
      const hash = createHash('sha256')
        .update(scripts[0] ?? '')
        .digest('base64');
      const policy = response.headers.get('content-security-policy')?.split(/; ?/) ?? [];
      expect(policy.sort()).toEqual([
        "base-uri 'none'",
        "default-src 'none'",
        "frame-ancestors 'none'",
        `script-src 'sha256-${hash}'`,
      ]);
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('referrer-policy')).toBe('strict-origin');
      expect(response.headers.get('cache-control')).toBe('no-store');
    },
  );

  it('page of response_mode=form_post: has the same security headers as a redirect', async () => {
    const { response } = await answer({ response_mode: 'query', prompt: 'none' });
    expect(response.status).toBe(303);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});
