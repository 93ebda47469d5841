import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Application, basic, CALLBACK, OAuthWorld } from '../identity/oauth-world.js';
import { describeWithOpenapiClients } from '../support/needs.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { runStockClients } from './run-stock-clients.js';

const ALIASES = {
  pathPrefixes: { '/api/v1': '/', '/auth': '/oauth2' },
  securitySchemes: {
    walletOAuth: 'serviceOAuth2',
    walletToken: 'authenticatedEncryption',
    clientKey: 'apiKey',
  },
};
const ME = 'AccountController.getUserProfile';
const COMMUNITIES = 'CommunityController.listCommunities';

/** A generic client looks its credential up by the name of the scheme. */
describeWithOpenapiClients('names of security schemes', () => {
  let world: OAuthWorld;
  let shop: Application;
  /** A gateway of the same deployment without aliases. */
  let plainUrl: string;
  let bearer: object;
  let aeToken: string;

  beforeAll(async () => {
    world = await OAuthWorld.start({ GATEWAY_ALIASES: JSON.stringify(ALIASES) });
    plainUrl = (await world.suite.another('gateway', { GATEWAY_ALIASES: '' })).url;
    shop = await world.application({ scopes: ['token-gating'] });
    const code = await world.code(await world.user(), shop, { scope: 'user:read' });
    const { access_token: token } = await world.exchange(shop, code);
    bearer = { token: { access_token: token, token_type: 'Bearer' } };
    const wallet = await WalletAtTheGateway.of(world.suite, shop);
    aeToken = await wallet.aeToken(wallet.owner.address);
  });

  afterAll(async () => {
    await world.stop();
  });

  /** The statuses of one operation, for clients with these credentials. */
  const statusesOf = async (credentials: Record<string, unknown>[], origin = world.origin, id = ME) => {
    const url = `${origin}/openapi.json`;
    const all = await runStockClients(
      credentials.map((authorizations) => ({ url, authorizations, calls: { [id]: [] } })),
    );
    return all.map((statuses) => statuses[id]);
  };

  it('names of security schemes: may be another one where the deployment says so', async () => {
    const clients = [
      { walletOAuth: bearer },
      { walletToken: aeToken },
      { walletOAuth: bearer, clientKey: shop.apiKey },
      // The own names are still there.
      { serviceOAuth2: bearer },
      { authenticatedEncryption: aeToken, apiKey: shop.apiKey },
    ];
    expect(await statusesOf(clients)).toEqual(clients.map(() => 200));
  });

  it('names of security schemes: open nothing more under another name', async () => {
    expect(await statusesOf([{ clientKey: shop.apiKey }])).toEqual([401]);
    expect(await statusesOf([{ walletOAuth: bearer }], world.origin, COMMUNITIES)).toEqual([403]);
  });

  it('names of security schemes: go with other paths of the OAuth operations', async () => {
    const browser = await world.user();
    const scope = 'user:read openid';
    await world.code(browser, shop, { scope });
    for (const prefix of ['/auth', '/api/v1/oauth2']) {
      const request = { response_type: 'code', client_id: shop.clientId, redirect_uri: CALLBACK, scope };
      // The session and the consent are those of the own path.
      const { location = '' } = await browser.follow(
        `${prefix}/authorize?${new URLSearchParams(request).toString()}`,
      );
      const code = new URL(location).searchParams.get('code') ?? '';
      const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
      const refused = await world.post(`${prefix}/token`, fields, {
        authorization: basic({ ...shop, clientSecret: 'wrong' }),
      });
      expect(refused.status).toBe(401);
      const answer = await world.post(`${prefix}/token`, fields, { authorization: basic(shop) });
      expect(answer.status).toBe(200);
      const { access_token: token } = (await answer.json()) as { access_token: string };
      const userinfo = await fetch(`${world.origin}${prefix}/userinfo`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(userinfo.status).toBe(200);
    }
  });

  it('names of security schemes: are unknown where they are not configured, so the client sends no token', async () => {
    const clients = [{ walletOAuth: bearer }, { serviceOAuth2: bearer }];
    expect(await statusesOf(clients, plainUrl)).toEqual([401, 200]);
  });
});
