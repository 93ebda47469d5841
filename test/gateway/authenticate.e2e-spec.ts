import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createClientCredential } from '@app/auth';
import type { Client } from '../support/create-client.js';
import type { EchoServer } from '../support/echo-server.js';
import { envelopeOf } from '../support/envelope.js';
import { principalTokenIn } from '../support/principal-token-in.js';
import type { RunningSuite } from '../support/running-suite.js';
import { leaseEchoedGateway } from './echoed-gateway.js';

describe('API key authentication', () => {
  let suite: RunningSuite;
  let upstream: EchoServer;
  let client: Client;

  beforeAll(async () => {
    ({ suite, upstream } = await leaseEchoedGateway());
    client = await suite.createClient({ scopes: ['community:analytics'] });
  });

  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${suite.gatewayUrl}${path}`, { headers });
  const analytics = (headers?: Record<string, string>) =>
    ask('/analytics/community-1/wallet-connections', headers);

  it('API key authentication: accepts an approved key and sends its client application to the service', async () => {
    const response = await analytics({ 'X-API-Key': client.apiKey });
    expect(response.status).toBe(200);
    expect(principalTokenIn(upstream.seen.at(-1)?.headers)).toMatchObject({
      iss: 'gateway',
      aud: 'analytics',
      principal: { kind: 'caller', client: { id: client.clientId }, scopes: ['community:analytics'] },
    });
  });

  it('API key authentication: rejects every invalid credential with the same 401', async () => {
    const revoked = await suite.createClient({ scopes: ['community:analytics'] });
    await suite.clientCommand(['revoke-key', revoked.apiKey]);
    const wrong: Record<string, string>[] = [
      {},
      { 'X-API-Key': '' },
      { 'X-API-Key': 'nonsense' },
      { 'X-API-Key': client.apiKey.slice(0, -1) },
      { 'X-API-Key': createClientCredential('gth', 'test').text },
      { 'X-API-Key': client.clientSecret },
      { 'X-API-Key': revoked.apiKey },
      { Authorization: `Bearer ${client.apiKey}` },
      { Authorization: 'AE abc' },
      { Authorization: 'Ethereum abc.0x' },
      { Authorization: 'Basic dXNlcjpwYXNz' },
      { 'X-API-Key': client.apiKey, Authorization: 'Bearer nonsense' },
    ];
    const before = upstream.seen.length;
    const answers = await Promise.all(
      wrong.map(async (headers) => {
        const response = await analytics(headers);
        const { details, ...error } = await envelopeOf(response);
        return {
          status: response.status,
          challenge: response.headers.get('www-authenticate'),
          error: { ...error, details: { ...details, requestId: '-' } },
        };
      }),
    );
    expect(answers[0]).toMatchObject({ status: 401, error: { name: 'UnauthorizedError', stack: '' } });
    expect(answers[0]?.challenge).toMatch(
      /^Bearer realm="gatehouse", resource_metadata="http[^"]+\/\.well-known\/oauth-protected-resource", AE /,
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(upstream.seen).toHaveLength(before);
  });

  it('API key authentication: rejects a key with 401 where a user is required', async () => {
    const response = await ask('/account/me', { 'X-API-Key': client.apiKey });
    expect(response.status).toBe(401);
  });

  it('API key authentication: rejects a scope that is not approved with 403', async () => {
    const response = await fetch(`${suite.gatewayUrl}/access-control/check-roles`, {
      method: 'POST',
      headers: { 'X-API-Key': client.apiKey, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(403);
    const error = await envelopeOf(response);
    expect(error).toMatchObject({
      name: 'ForbiddenError',
      details: { code: 'scope_required', scope: 'token-gating' },
    });
  });

  it('API key authentication: rejects a revoked key within five seconds', async () => {
    const doomed = await suite.createClient({ scopes: ['community:analytics'] });
    const headers = { 'X-API-Key': doomed.apiKey };
    expect((await analytics(headers)).status).toBe(200);
    await suite.clientCommand(['revoke-key', doomed.apiKey]);
    const revokedAt = Date.now();
    while ((await analytics(headers)).status === 200 && Date.now() - revokedAt < 10_000) await sleep(50);
    expect((await analytics(headers)).status).toBe(401);
    expect(Date.now() - revokedAt).toBeLessThan(5_000);
  });

  it('API key authentication: accepts any case of the header name, and public operations without a key', async () => {
    expect((await analytics({ 'x-aPI-kEY': client.apiKey })).status).toBe(200);
    expect((await ask('/.well-known/jwks.json')).status).toBe(200);
    expect((await ask('/.well-known/jwks.json', { 'X-API-Key': 'nonsense' })).status).toBe(401);
  });

  it('API key authentication: logs no credential', () => {
    for (const name of ['gateway', 'identity']) {
      const log = suite.app(name).logLines.join('\n');
      expect(log).toMatch(/"message":"listening"/);
      expect(log).not.toContain(client.apiKey.slice(-20));
    }
  });
});
