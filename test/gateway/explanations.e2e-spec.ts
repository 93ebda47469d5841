import { beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import type { Application, OAuthWorld } from '../identity/oauth-world.js';
import { leaseOAuthWorldOnAChain } from '../identity/oauth-world-on-a-chain.js';
import type { LocalChain } from '../support/local-chain.js';

const WHOLE = 10n ** 18n;

/** Users, their grants and their wallets are those of identity. */
describe('explanations through the gateway', () => {
  let chain: LocalChain;
  let world: OAuthWorld;
  let shop: Application;

  beforeAll(async () => {
    ({ world, chain } = await leaseOAuthWorldOnAChain());
    shop = await world.application({ scopes: ['token-gating', 'user:wallet:read'] });
  }, 120_000);

  async function check(account: string, headers: Record<string, string>) {
    const response = await fetch(`${world.origin}/access-control/check-roles`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: 'https://app.example',
        prefer: 'explain',
        ...headers,
      },
      body: JSON.stringify({
        account,
        rules: [{ type: 'NATIVE', chainId: chain.chainId, minToken: '2', maxToken: '9' }],
      }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** A user who holds three coins, and the token of an application that the user gave these scopes. */
  async function signIn(scope: string) {
    const browser = await world.user();
    const { access_token: token } = await world.exchange(shop, await world.code(browser, shop, { scope }));
    const { address } = browser.wallet;
    await chain.setNativeBalance(address, 3n * WHOLE);
    return { address, id: deriveUserId('ethereum', address.toLowerCase()), authorization: `Bearer ${token}` };
  }

  it('explanations through the gateway: are for the caller alone, and readable by scripts of other origins', async () => {
    const { address } = await signIn('user:read');
    const { status, headers, text } = await check(address, { 'x-api-key': shop.apiKey });
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      {
        roles: [{ id: '001', granted: true }],
        explanations: [
          { rule: 0, granted: true, code: 'held_enough', min: '2', max: '9', held: '3', unit: 'coin' },
        ],
      },
    ]);
    expect(headers.get('preference-applied')).toBe('explain');
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('vary')).toContain('Prefer');
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('access-control-expose-headers')).toContain('Preference-Applied');
  });

  it('T310: explanations through the gateway: name wallets and amounts to an application only where the user lets it read wallets', async () => {
    const shown = await signIn('user:read token-gating user:wallet:read');
    const hidden = await signIn('user:read token-gating');
    const callers: Record<string, string>[] = [
      { authorization: shown.authorization },
      { 'x-api-key': shop.apiKey },
    ];
    for (const headers of callers) {
      const { text } = await check(shown.id, headers);
      expect(JSON.parse(text)).toMatchObject({
        explanations: [{ code: 'held_enough', held: '3', wallets: [{ account: shown.address, held: '3' }] }],
      });
    }
    const { status, text } = await check(hidden.id, { authorization: hidden.authorization });
    expect([status, JSON.parse(text)]).toMatchObject([200, { explanations: [{ code: 'held_enough' }] }]);
    for (const secret of [hidden.address.toLowerCase(), '"held"', '"wallets"'])
      expect(text.toLowerCase()).not.toContain(secret);
    expect((await check(hidden.id, { 'x-api-key': shop.apiKey })).status).toBe(404);
  });
});
