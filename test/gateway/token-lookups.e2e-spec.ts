import { beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Client } from '../support/create-client.js';
import { principalTokenIn } from '../support/principal-token-in.js';
import { until } from '../support/until.js';
import { type GatewayWithTokens, leaseGatewayWithTokens, waitUntilRejected } from './gateway-with-tokens.js';
import { PresentedTokens } from './presented-tokens.js';
import { TokenFactory } from './token-factory.js';

describe('requests to identity for tokens', () => {
  let running: GatewayWithTokens;
  let mint: TokenFactory;
  let client: Client;
  let tokens: PresentedTokens;

  beforeAll(async () => {
    running = await leaseGatewayWithTokens();
    ({ mint } = running);
    client = await running.suite.createClient();
    tokens = new PresentedTokens(running, client);
    // The first login of a wallet creates its user.
    expect((await tokens.me(tokens.ae())).status).toBe(200);
  });

  const seenByIdentity = () => principalTokenIn(running.identityProxy.forwarded.at(-1)?.headers).principal;

  it('requests to identity for tokens: cache a valid contract wallet credential for a minute, for its chain only', async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const message = { address: mint.wallet.address, chainId: 10 };
    const make = () => mint.credential({ clientId: client.clientId, wallet: owner, message });
    running.identityProxy.contracts = 'valid';
    const token = `Ethereum ${await make()}`;
    const before = questions();
    expect((await tokens.me(token)).status).toBe(200);
    const account = `eip155:10:${mint.wallet.address}`;
    expect(seenByIdentity()).toMatchObject({
      user: { id: deriveUserId('ethereum', account.toLowerCase()), account },
    });
    expect((await tokens.me(token, client.apiKey)).status).toBe(200);
    expect(questions() - before).toBe(1);

    running.identityProxy.contracts = 'invalid';
    const rejected = `Ethereum ${await make()}`;
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await tokens.me(rejected)).status).toBe(401);
    // Identity caches rejected signatures; caching them here would add up both TTLs.
    expect(questions() - before).toBe(4);
    running.identityProxy.contracts = 'valid';
    expect((await tokens.me(rejected)).status).toBe(200);

    running.identityProxy.contracts = 'away';
    const unknown = await tokens.me(`Ethereum ${await make()}`);
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '2']);
    running.identityProxy.contracts = 'forward to identity';
  });

  const questions = () =>
    running.identityProxy.requests.filter((path) => path === 'POST /internal/ethereum-credentials').length;

  it('requests to identity for tokens: are not sent for verified tokens', async () => {
    const all = [tokens.bearer(), tokens.ae(), await tokens.ethereum()];
    const isLookup = (path: string) =>
      /client-plans|ethereum-credentials|POST .internal.credentials/.test(path);
    const questionsOfAll = async () => {
      const before = running.identityProxy.requests.filter(isLookup).length;
      for (const token of all) expect((await tokens.me(token)).status).toBe(200);
      return running.identityProxy.requests.filter(isLookup).length - before;
    };
    // The change event of the new client application may come late and cause one more request.
    await until('all are known', async () => (await questionsOfAll()) === 0);
  });

  it('requests to identity for tokens: reload keys for unknown key ids, at a limited rate', async () => {
    const countKeyLoads = () =>
      running.identityProxy.requests.filter((path) => path === 'GET /internal/token-keys').length;
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // an earlier test may have reloaded them
    const since = Date.now();
    const before = countKeyLoads();
    for (let attempt = 0; attempt < 60; attempt += 1) {
      const kid = `unknown-${String(attempt)}`;
      expect(
        (await tokens.me(`Bearer ${mint.bearer(mint.accessClaims(client.clientId), { kid })}`)).status,
      ).toBe(401);
    }
    // The keys are loaded once per second for unknown key ids, besides the periodic refresh.
    const seconds = Math.ceil((Date.now() - since) / 1_000);
    expect(countKeyLoads() - before).toBeGreaterThanOrEqual(1);
    expect(countKeyLoads() - before).toBeLessThanOrEqual(2 * seconds + 1);
  });

  it('requests to identity for tokens: load a new key at once', async () => {
    const next = new TokenFactory(mint.publicUrl);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    running.identityProxy.keys = {
      access: [...mint.keys.access, ...next.keys.access],
      ae: [...mint.keys.ae, ...next.keys.ae],
      nonce: [...mint.keys.nonce, ...next.keys.nonce],
    };
    expect((await tokens.me(`AE ${next.aeToken(next.aeClaims(client.clientId))}`)).status).toBe(200);
    expect((await tokens.me(`Bearer ${next.bearer(next.accessClaims(client.clientId))}`)).status).toBe(200);
    const token = `AE ${next.aeToken(next.aeClaims(client.clientId))}`;
    expect((await tokens.me(token)).status).toBe(200);
    // Removing a key invalidates the tokens that it verified.
    running.identityProxy.keys = mint.keys;
    // Keys are loaded every three seconds, and a process of a busy machine may stand still for as long.
    expect(await waitUntilRejected(() => tokens.me(token))).toBeLessThan(8_000);
  });

  it('requests to identity for tokens: log no tokens', () => {
    const log = [running.gateway, running.suite.app('identity')]
      .flatMap(({ logLines }) => logLines)
      .join('\n');
    expect(log).toMatch(/"operation":"AccountController.getUserProfile"/);
    expect(log).not.toMatch(/eyJ[\w-]{20}/);
  });
});
