import { beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import type { Application, OAuthWorld } from '../identity/oauth-world.js';
import { leaseOAuthWorldOnAChain } from '../identity/oauth-world-on-a-chain.js';
import { envelopeOf } from '../support/envelope.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';

/** A check that needs no node call and is not granted. */
const CHECK = {
  account: 'So11111111111111111111111111111111111111112',
  rules: [{ type: 'NATIVE', chainId: 1, minToken: '1', roleId: '001' }],
};

/** Uses only credentials that identity issued. */
describe('the four security schemes', () => {
  let world: OAuthWorld;
  let shop: Application;
  let wallet: WalletAtTheGateway;
  /** The `Authorization` header and its user. */
  let users: Record<'Bearer' | 'AE' | 'Ethereum', { authorization: string; id: string }>;

  beforeAll(async () => {
    ({ world } = await leaseOAuthWorldOnAChain());
    shop = await world.application({ scopes: ['token-gating'] });
    wallet = await WalletAtTheGateway.of(world.suite, shop);
    const browser = await world.user();
    const code = await world.code(browser, shop, { scope: 'user:read' });
    const { access_token: token } = await world.exchange(shop, code);
    const { address } = wallet.owner;
    const id = deriveUserId('ethereum', address.toLowerCase());
    users = {
      Bearer: {
        authorization: `Bearer ${token}`,
        id: deriveUserId('ethereum', browser.wallet.address.toLowerCase()),
      },
      AE: { authorization: await wallet.aeToken(address), id },
      Ethereum: { authorization: await wallet.credential(address), id },
    };
  });

  const check = (headers: Record<string, string>) =>
    fetch(`${world.origin}/access-control/check-roles`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(CHECK),
    });
  const codeOf = async (response: Response) => [response.status, (await envelopeOf(response)).details.code];

  it.each(['Bearer', 'AE', 'Ethereum'] as const)(
    'four security schemes: %s opens GET /account/me, with the API key and without',
    async (scheme) => {
      const { authorization, id } = users[scheme];
      for (const headers of [{ authorization }, { authorization, ...wallet.key }]) {
        const response = await wallet.me(headers);
        expect([response.status, await response.json()]).toMatchObject([200, { id }]);
      }
    },
  );

  it('four security schemes: an API key alone gets 401 there, and may check roles', async () => {
    expect(await codeOf(await wallet.me(wallet.key))).toEqual([401, 'user_required']);
    expect((await check(wallet.key)).status).toBe(200);
  });

  it.each(['Bearer', 'AE', 'Ethereum'] as const)(
    'four security schemes: %s without the scope gets 403 for check-roles, anonymous callers 401',
    async (scheme) => {
      const { authorization } = users[scheme];
      expect(await codeOf(await check({ authorization }))).toEqual([403, 'scope_required']);
      expect(await codeOf(await check({}))).toEqual([401, 'credential_invalid']);
    },
  );

  it('four security schemes: a Bearer token with the scope may check roles', async () => {
    const code = await world.code(await world.user(), shop, { scope: 'user:read token-gating' });
    const { access_token: token } = await world.exchange(shop, code);
    expect((await check({ authorization: `Bearer ${token}` })).status).toBe(200);
  });

  it('four security schemes: no token is accepted under another scheme', async () => {
    const texts = Object.values(users).map(({ authorization }) => authorization.split(' ')[1] ?? '');
    for (const scheme of ['Bearer', 'AE', 'Ethereum'] as const)
      for (const text of texts) {
        if (users[scheme].authorization.endsWith(text)) continue;
        expect((await wallet.me({ authorization: `${scheme} ${text}` })).status).toBe(401);
      }
  });
});
