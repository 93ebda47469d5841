import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { envelopeOf } from '../support/envelope.js';
import type { RunningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { OAuthWorld } from './oauth-world.js';
import { queryDatabase } from './query-database.js';

const CONNECTIONS = '/portal/connections';

describe('revocation quotas', () => {
  let suite: RunningSuite;
  /** The same user's wallet at two client applications. */
  let shop: WalletAtTheGateway;
  let rogue: WalletAtTheGateway;
  let browser: OAuthBrowser;
  let victim: string;

  beforeAll(async () => {
    ({ suite } = await OAuthWorld.lease());
    shop = await WalletAtTheGateway.start(suite);
    rogue = await WalletAtTheGateway.of(suite, await suite.createClient(), shop.owner);
    victim = shop.owner.address;
    const makePublic = `UPDATE identity.client_applications SET type = 'public' WHERE id = $1`;
    await queryDatabase(suite.databaseUrl, makePublic, [rogue.client.clientId]);
    browser = new OAuthBrowser(suite.gatewayUrl);
    await browser.signIn('/login', shop.owner);
  });

  beforeEach(async () => {
    await queryDatabase(suite.databaseUrl, 'DELETE FROM identity.revocation_quotas');
  });

  const status = async (authorization: string) => (await shop.me({ authorization })).status;
  const expectRevoked = (authorization: string) =>
    until('the gateway refuses it', async () => (await status(authorization)) === 401);
  const textOf = (authorization: string) => authorization.split(' ')[1] ?? '';
  const unsigned = (accountId: string) => rogue.credential(accountId, { sign: () => '0x00' });

  const revokeAsRogue = async (authorization: string) => {
    const body = new URLSearchParams({ token: textOf(authorization), client_id: rogue.client.clientId });
    return (await fetch(`${suite.gatewayUrl}/oauth2/revoke`, { method: 'POST', body })).status;
  };
  const revokeOwn = (credential: string, authorization: string) =>
    fetch(`${suite.gatewayUrl}/ethereum-login/credentials/revocations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ credential: textOf(credential) }),
    });
  const disconnect = async ({ client }: WalletAtTheGateway) => {
    const csrf = csrfOf(await (await browser.open(CONNECTIONS)).text());
    return browser.postForm(`${CONNECTIONS}/${client.clientId}/revoke`, { csrf });
  };

  /** Exhausts every quota that was used so far. */
  const exhaust = () =>
    queryDatabase(
      suite.databaseUrl,
      'UPDATE identity.revocation_quotas SET used = 1000000 RETURNING subject',
    );

  it('revocation quotas of a user: are not used up by unsigned messages that name the user', async () => {
    const stranger = `0x${'5'.repeat(40)}`;
    for (const accountId of [victim, victim, stranger])
      expect(await revokeAsRogue(await unsigned(accountId))).toBe(200);
    const [mine, here] = [await shop.credential(victim), await shop.aeToken(victim)];
    const [theirs, there] = [await rogue.credential(victim), await rogue.aeToken(victim)];
    const [tenant] = (await queryDatabase(
      suite.databaseUrl,
      `SELECT 'tenant ' || owner_id AS subject FROM identity.client_applications WHERE id = $1`,
      [rogue.client.clientId],
    )) as object[];
    expect(await exhaust()).toEqual([tenant]);
    // The quota of the client application's tenant is exhausted, also for new addresses.
    expect(await revokeAsRogue(await unsigned(`0x${'6'.repeat(40)}`))).toBe(429);
    expect((await revokeOwn(mine, here)).status).toBe(200);
    expect((await disconnect(rogue)).status).toBe(303);
    for (const authorization of [mine, theirs, there]) await expectRevoked(authorization);
    expect(await status(here)).toBe(200);
  });

  it('revocation quotas of the session: are not used up by an application that acts as the user', async () => {
    const [theirs, there] = [await rogue.credential(victim), await rogue.aeToken(victim)];
    expect((await revokeOwn(await unsigned(victim), there)).status).toBe(200);
    expect(await revokeAsRogue(await rogue.aeToken(victim))).toBe(200);
    expect(await exhaust()).toHaveLength(1);
    expect((await revokeOwn(theirs, there)).status).toBe(429);
    const [mine, here] = [await shop.credential(victim), await shop.aeToken(victim)];
    expect((await revokeOwn(mine, here)).status).toBe(200);
    expect((await disconnect(rogue)).status).toBe(303);
    for (const authorization of [mine, theirs, there]) await expectRevoked(authorization);
  });

  it('revocation quotas: never prevent that an application’s consent is revoked', async () => {
    const [signed, allowed] = [await shop.credential(victim), await shop.aeToken(victim)];
    expect((await disconnect(rogue)).status).toBe(303);
    await exhaust();
    const refused = await disconnect(shop);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 1]).toEqual([429, true]);
    expect(await refused.text()).toContain('The access of the application is revoked');
    await expectRevoked(allowed);
    expect(await status(signed)).toBe(200);
    const single = await revokeOwn(signed, signed);
    expect([single.status, single.ok || (await envelopeOf(single)).details.code]).toEqual([200, true]);
    await expectRevoked(signed);
  });
});
