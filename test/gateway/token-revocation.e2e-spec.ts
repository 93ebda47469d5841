import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { type GatewayWithTokens, leaseGatewayWithTokens, waitUntilRejected } from './gateway-with-tokens.js';
import { PresentedTokens } from './presented-tokens.js';
import { revokeToken } from './revoke-token.js';
import type { TokenFactory } from './token-factory.js';
import { until } from '../support/until.js';

describe('token revocation', () => {
  let running: GatewayWithTokens;
  let mint: TokenFactory;
  let client: Client;
  let tokens: PresentedTokens;

  beforeAll(async () => {
    running = await leaseGatewayWithTokens();
    ({ mint } = running);
    client = await running.suite.createClient({ scopes: ['token-gating', 'community:analytics'] });
    tokens = new PresentedTokens(running, client);
    // The first login of a wallet creates its user.
    expect((await tokens.me(tokens.ae())).status).toBe(200);
  });

  it('token revocation: applies within five seconds, to every encoding of a token', async () => {
    const jti = randomUUID();
    const claims = mint.accessClaims(client.clientId, { jti });
    const credential = await mint.credential({ clientId: client.clientId });
    const doomed: [string, string][] = [
      [`Bearer ${mint.bearer(claims)}`, jti],
      [tokens.ae({ jti: 'ae-1' }), 'ae-1'],
      [`Ethereum ${credential}`, nonceIn(credential)],
    ];
    for (const [authorization, id] of doomed) {
      expect((await tokens.me(authorization)).status).toBe(200);
      await revokeToken(running.suite.databaseUrl, id);
      expect(await waitUntilRejected(() => tokens.me(authorization))).toBeLessThan(5_000);
      expect((await tokens.me(authorization, client.apiKey)).status).toBe(401);
    }
    // The same token in another encoding: signed again, or with another parity byte in the signature.
    expect((await tokens.me(`Bearer ${mint.bearer(claims)}`)).status).toBe(401);
    expect((await tokens.me(`Ethereum ${otherParity(credential)}`)).status).toBe(401);
    const alive = await mint.credential({ clientId: client.clientId });
    expect((await tokens.me(`Ethereum ${otherParity(alive)}`)).status).toBe(200);
    expect((await tokens.me(tokens.bearer())).status).toBe(200);
  });

  const otherParity = (credential: string): string =>
    credential.replace(/1[bc]$/, (parity) => (parity === '1b' ? '00' : '01'));

  const nonceIn = (credential: string): string => {
    const text = Buffer.from(credential.split('.')[0] ?? '', 'base64url').toString();
    return /^Nonce: (\w+)$/m.exec(text)?.[1] ?? '';
  };

  it('token revocation: applies at a gateway that starts later', async () => {
    const token = tokens.bearer({ jti: 'revoked-early' });
    await revokeToken(running.suite.databaseUrl, 'revoked-early', 'long ago');
    const late = await running.suite.another('gateway', { IDENTITY_URL: running.identityProxy.url });
    expect(running.identityProxy.requests).toContain('GET /internal/credentials/revoked-tokens');
    const response = await fetch(`${late.url}/account/me`, { headers: { Authorization: token } });
    expect(response.status).toBe(401);
    await late.stop();
  });

  it('token revocation: includes tokens of a deleted client application, and scopes that it loses', async () => {
    const doomed = await running.suite.createClient({ scopes: ['community:analytics'] });
    const token = tokens.bearer({ scope: '$public community:analytics' }, doomed);
    expect((await tokens.ask('/analytics/c/wallet-connections', token)).status).toBe(200);
    await running.suite.clientCommand(['set-scopes', doomed.clientId, '--scopes', 'user:read']);
    let status = 200;
    await until('the scope is lost', async () => {
      ({ status } = await tokens.ask('/analytics/c/wallet-connections', token));
      return status !== 200;
    });
    expect(status).toBe(403);
    expect((await tokens.me(token)).status).toBe(200);
    await running.suite.clientCommand(['remove', doomed.clientId]);
    expect(await waitUntilRejected(() => tokens.me(token))).toBeLessThan(5_000);
  });
});
