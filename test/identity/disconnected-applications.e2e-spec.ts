import { beforeAll, describe, expect, it } from '@jest/globals';
import { envelopeOf } from '../support/envelope.js';
import type { RunningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { OAuthWorld } from './oauth-world.js';
import { queryDatabase } from './query-database.js';

const CONNECTIONS = '/portal/connections';

describe('disconnecting an application', () => {
  let suite: RunningSuite;
  let shop: WalletAtTheGateway;
  let market: WalletAtTheGateway;
  let browser: OAuthBrowser;

  beforeAll(async () => {
    ({ suite } = await OAuthWorld.lease());
    shop = await WalletAtTheGateway.start(suite);
    market = await WalletAtTheGateway.start(suite);
    browser = new OAuthBrowser(suite.gatewayUrl);
    await browser.signIn('/login', shop.owner);
  });

  const status = async (authorization: string) => (await shop.me({ authorization })).status;
  const expectRevoked = (authorization: string) =>
    until('the gateway refuses it', async () => (await status(authorization)) === 401);

  const page = async (path: string) => (await browser.open(path)).text();
  const disconnect = async (clientId: string) =>
    browser.postForm(`${CONNECTIONS}/${clientId}/revoke`, { csrf: csrfOf(await page(CONNECTIONS)) });

  /** A credential for another client application, signed by the wallet of the shop's user. */
  const atMarket = async () => {
    const accountId = shop.owner.address;
    const resources = [`${suite.gatewayUrl}/#credential`];
    const { message } = await market.challenge({ accountId, resources });
    const signature = await shop.owner.signMessage({ message });
    return `Ethereum ${Buffer.from(message).toString('base64url')}.${signature}`;
  };

  it("disconnecting an application: revokes the user's tokens and credentials there, but no others and no later ones", async () => {
    const accountId = shop.owner.address;
    const [token, one, two] = [
      await shop.aeToken(accountId),
      await shop.credential(accountId),
      await shop.credential(accountId),
    ];
    const [atOtherClient, ofOtherUser] = [await atMarket(), await market.credential(market.owner.address)];
    // Issued before the disconnection, presented after it.
    const resources = [`${suite.gatewayUrl}/#credential`];
    const late = await shop.challenge({ accountId, resources });
    for (const authorization of [token, one, two, atOtherClient, ofOtherUser])
      expect(await status(authorization)).toBe(200);
    expect(await page(CONNECTIONS)).toContain('signed in with your wallet');

    expect((await disconnect(shop.client.clientId)).status).toBe(303);
    for (const authorization of [token, one, two]) await expectRevoked(authorization);
    await expectRevoked(`Ethereum ${Buffer.from(late.message).toString('base64url')}.${late.signature}`);
    for (const authorization of [atOtherClient, ofOtherUser]) expect(await status(authorization)).toBe(200);
    expect(await page(CONNECTIONS)).not.toContain('signed in with your wallet');

    const again = [await shop.aeToken(accountId), await shop.credential(accountId)];
    for (const authorization of again) expect(await status(authorization)).toBe(200);
    expect((await disconnect(shop.client.clientId)).status).toBe(303);
    for (const authorization of again) await expectRevoked(authorization);
  });

  it('disconnecting an application: applies to a gateway that starts afterwards', async () => {
    const credential = await shop.credential(shop.owner.address);
    await disconnect(shop.client.clientId);
    await expectRevoked(credential);
    await queryDatabase(suite.databaseUrl, 'DELETE FROM identity.credential_changes');
    const late = await suite.anotherGateway();
    const response = await fetch(`${late.url}/account/me`, { headers: { authorization: credential } });
    expect(response.status).toBe(401);
    const fresh = await shop.credential(shop.owner.address);
    const answer = await fetch(`${late.url}/account/me`, { headers: { authorization: fresh } });
    expect([answer.status, await answer.json()]).toEqual([200, expect.anything()]);
  });

  it('disconnecting an application: stores nothing for an unknown application', async () => {
    expect((await disconnect('client_nobody')).status).toBe(404);
    const rows = `SELECT 1 FROM identity.revoked_tokens WHERE id LIKE '%client_nobody'`;
    expect(await queryDatabase(suite.databaseUrl, rows)).toEqual([]);
  });

  it('disconnecting an application: works for a deleted application', async () => {
    const deleted = await suite.createClient();
    const rows = 'UPDATE identity.client_applications SET deleted_at = now() WHERE id = $1';
    const there = await WalletAtTheGateway.of(suite, deleted, shop.owner);
    await there.aeToken(shop.owner.address);
    await queryDatabase(suite.databaseUrl, rows, [deleted.clientId]);
    expect(await page(CONNECTIONS)).toContain(`${CONNECTIONS}/${deleted.clientId}/revoke`);
    expect((await disconnect(deleted.clientId)).status).toBe(303);
    expect(await page(CONNECTIONS)).not.toContain(deleted.clientId);
    expect((await disconnect(deleted.clientId)).status).toBe(404);
  });

  describe('one credential', () => {
    const revoke = (credential: string, headers: Record<string, string>) =>
      fetch(`${suite.gatewayUrl}/ethereum-login/credentials/revocations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ credential }),
      });
    const textOf = (authorization: string) => authorization.split(' ')[1] ?? '';
    const refusalOf = async (response: Response) => [
      response.status,
      (await envelopeOf(response)).details.code,
    ];

    it('disconnecting an application, one credential: is revoked by its user only, also with the credential itself', async () => {
      const accountId = shop.owner.address;
      const [first, second] = [await shop.credential(accountId), await shop.credential(accountId)];
      const stranger = { authorization: await market.aeToken(market.owner.address) };
      expect(await refusalOf(await revoke(textOf(first), stranger))).toEqual([404, 'credential_not_found']);
      expect((await revoke(`${textOf(first)}x`, { authorization: second })).status).toBe(404);
      expect(await refusalOf(await revoke(textOf(first), shop.key))).toEqual([401, 'user_required']);
      expect(await status(first)).toBe(200);
      expect((await revoke(textOf(first), { authorization: first })).status).toBe(200);
      await expectRevoked(first);
      expect(await status(second)).toBe(200);
    });

    it('disconnecting an application, one credential: is refused with 429 over the revocation quota', async () => {
      const accountId = shop.owner.address;
      const [credential, token] = [await shop.credential(accountId), await shop.aeToken(accountId)];
      const full = `UPDATE identity.revocation_quotas SET used = 1000 WHERE subject LIKE 'user %'`;
      await queryDatabase(suite.databaseUrl, full);
      const refused = await revoke(textOf(credential), { authorization: token });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
      expect(await refusalOf(refused)).toEqual([429, 'revocation_limit_exceeded']);
      expect([await status(credential), await status(token)]).toEqual([200, 200]);
      expect((await disconnect(shop.client.clientId)).status).toBe(303);
      for (const authorization of [credential, token]) await expectRevoked(authorization);
    });
  });
});
