import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { envelopeOf } from '../support/envelope.js';
import {
  type GatewayWithTokens,
  leaseGatewayWithTokens,
  waitUntilChangesAreApplied,
} from './gateway-with-tokens.js';
import { until } from '../support/until.js';

const CHECK = JSON.stringify({
  account: 'So11111111111111111111111111111111111111112',
  rules: [{ type: 'NATIVE', chainId: 1, minToken: '1', roleId: '001' }],
});

describe('tokens during an identity outage', () => {
  let running: GatewayWithTokens;
  let client: Client;

  beforeAll(async () => {
    running = await leaseGatewayWithTokens();
    client = await running.suite.createClient();
  });

  afterEach(() => {
    running.identityProxy.isDown = false;
  });

  it('tokens during an identity outage: work with cached keys, and get 503 without', async () => {
    const { mint, identityProxy } = running;
    const scope = 'token-gating';
    const check = (token: string) =>
      fetch(`${running.gateway.url}/access-control/check-roles`, {
        method: 'POST',
        headers: { Authorization: token, 'Content-Type': 'application/json' },
        body: CHECK,
      });
    const known = `Bearer ${mint.bearer(mint.accessClaims(client.clientId, { scope }))}`;
    // The news that this client application was created may still remove its plan from the cache until then.
    await waitUntilChangesAreApplied(running);
    expect((await check(known)).status).toBe(200);
    identityProxy.isDown = true;
    expect((await check(known)).status).toBe(200);
    // Another token of a cached client application.
    expect((await check(`AE ${mint.aeToken(mint.aeClaims(client.clientId, { scope }))}`)).status).toBe(200);
    const claims = mint.accessClaims(client.clientId, { scope });
    const unknown = () => check(`Bearer ${mint.bearer(claims, { kid: 'new' })}`);
    // The gateway asks at most once a second for keys that it does not know, and another test may just have made it
    // ask.
    await until('unknown keys are asked for', async () => (await unknown()).status === 503, 10_000);
    expect((await envelopeOf(await unknown())).details.code).toBe('credentials_unavailable');
    const stranger = await check(`Bearer ${mint.bearer({ ...claims, client_id: 'client_x' })}`);
    expect(stranger.status).toBe(503);
    expect((await check('Bearer garbage')).status).toBe(401);
  });

  it('tokens during an identity outage: get 503 at a gateway that never loaded the revocations, which is not ready', async () => {
    running.identityProxy.answer('/internal/credentials/revoked-tokens', (response) => {
      response.writeHead(500).end();
    });
    const deaf = await running.suite.spawnAnother('gateway', { IDENTITY_URL: running.identityProxy.url });
    const ask = () => {
      const token = running.mint.bearer(running.mint.accessClaims(client.clientId));
      return fetch(`${deaf.url}/account/me`, { headers: { Authorization: `Bearer ${token}` } });
    };
    let response: Response | undefined;
    await until('it listens', async () => (response = await ask().catch(() => undefined)) !== undefined);
    expect([response?.status, response?.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await fetch(`${deaf.managementUrl}/health/ready`)).status).toBe(503);
    const key = { 'X-API-Key': client.apiKey, 'Content-Type': 'application/json' };
    const check = { method: 'POST', headers: key, body: CHECK };
    expect((await fetch(`${deaf.url}/access-control/check-roles`, check)).status).toBe(200);
  });
});
