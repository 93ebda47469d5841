import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { envelopeOf } from '../support/envelope.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { queryDatabase } from './query-database.js';

const CONNECTIONS = '/portal/connections';

describe('how much may be revoked within an hour', () => {
  let suite: RunningSuite;
  /** Both come with the same user's wallet. */
  let shop: WalletAtTheGateway;
  let rogue: WalletAtTheGateway;
  let browser: OAuthBrowser;
  let victim: string;

  beforeAll(async () => {
    suite = await runningSuite({
      without: ['token-gating'],
      env: { ADDRESS_REQUESTS_PER_SECOND: '1000', CREDENTIAL_FEED_INTERVAL_MS: '200' },
    });
    shop = await WalletAtTheGateway.start(suite);
    rogue = await WalletAtTheGateway.of(suite, await suite.createClient(), shop.owner);
    victim = shop.owner.address;
    const makePublic = `UPDATE identity.client_applications SET type = 'public' WHERE id = $1`;
    await queryDatabase(suite.databaseUrl, makePublic, [rogue.client.clientId]);
    browser = new OAuthBrowser(suite.gatewayUrl);
    await browser.signIn('/login', shop.owner);
  }, 60_000);

  afterAll(async () => {
    await suite.stop();
  });

  beforeEach(async () => {
    await queryDatabase(suite.databaseUrl, 'DELETE FROM identity.revocation_quotas');
  });

  const status = async (authorization: string) => (await shop.me({ authorization })).status;
  const dies = (authorization: string) =>
    until('the gateway refuses it', async () => (await status(authorization)) === 401);
  const textOf = (authorization: string) => authorization.split(' ')[1] ?? '';
  const unsigned = (accountId: string) => rogue.credential(accountId, { sign: () => '0x00' });

  const revokeAsRogue = async (authorization: string) => {
    const body = new URLSearchParams({ token: textOf(authorization), client_id: rogue.client.clientId });
    return (await fetch(`${suite.gatewayUrl}/oauth2/revoke`, { method: 'POST', body })).status;
  };
  const endOwn = (credential: string, authorization: string) =>
    fetch(`${suite.gatewayUrl}/ethereum-login/credentials/revocations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ credential: textOf(credential) }),
    });
  const disconnect = async ({ client }: WalletAtTheGateway) => {
    const csrf = csrfOf(await (await browser.open(CONNECTIONS)).text());
    return browser.postForm(`${CONNECTIONS}/${client.clientId}/revoke`, { csrf });
  };

  /** As if everything that was counted up to now had been done as often as it may be. */
  const fill = () =>
    queryDatabase(
      suite.databaseUrl,
      'UPDATE identity.revocation_quotas SET used = 1000000 RETURNING subject',
    );

  it('is not used up by messages that nobody signed, whoever they name', async () => {
    const stranger = `0x${'5'.repeat(40)}`;
    for (const accountId of [victim, victim, stranger])
      expect(await revokeAsRogue(await unsigned(accountId))).toBe(200);
    const [mine, here] = [await shop.credential(victim), await shop.aeToken(victim)];
    const [theirs, there] = [await rogue.credential(victim), await rogue.aeToken(victim)];
    expect(await fill()).toEqual([{ subject: `client ${rogue.client.clientId}` }]);
    // The client application’s share is full: also for addresses that were never named.
    expect(await revokeAsRogue(await unsigned(`0x${'6'.repeat(40)}`))).toBe(429);
    expect((await endOwn(mine, here)).status).toBe(200);
    expect((await disconnect(rogue)).status).toBe(303);
    for (const authorization of [mine, theirs, there]) await dies(authorization);
    expect(await status(here)).toBe(200);
  });

  it('is not used up by an application that speaks as the user', async () => {
    const [theirs, there] = [await rogue.credential(victim), await rogue.aeToken(victim)];
    expect((await endOwn(await unsigned(victim), there)).status).toBe(200);
    expect(await revokeAsRogue(await rogue.aeToken(victim))).toBe(200);
    expect(await fill()).toHaveLength(1);
    expect((await endOwn(theirs, there)).status).toBe(429);
    const [mine, here] = [await shop.credential(victim), await shop.aeToken(victim)];
    expect((await endOwn(mine, here)).status).toBe(200);
    expect((await disconnect(rogue)).status).toBe(303);
    for (const authorization of [mine, theirs, there]) await dies(authorization);
  });

  it('never keeps what an application was allowed alive', async () => {
    const [signed, allowed] = [await shop.credential(victim), await shop.aeToken(victim)];
    expect((await disconnect(rogue)).status).toBe(303);
    await fill();
    const refused = await disconnect(shop);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 1]).toEqual([429, true]);
    expect(await refused.text()).toContain('What the application was allowed is ended');
    await dies(allowed);
    expect(await status(signed)).toBe(200);
    const single = await endOwn(signed, signed);
    expect([single.status, single.ok || (await envelopeOf(single)).details.code]).toEqual([200, true]);
    await dies(signed);
  });
});
