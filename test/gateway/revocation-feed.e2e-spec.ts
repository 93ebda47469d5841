import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { queryDatabase } from '../identity/query-database.js';
import type { Client } from '../support/create-client.js';
import { until } from '../support/until.js';
import { type GatewayWithTokens, startGatewayWithTokens, waitUntilRejected } from './gateway-with-tokens.js';
import { revokeToken } from './revoke-token.js';

const LIST = 'GET /internal/credentials/revoked-tokens';
const FIND = 'POST /internal/credentials/revoked-tokens';
const POLL = 'GET /internal/credentials/changes';

describe('the revocation feed', () => {
  let running: GatewayWithTokens;
  let client: Client;

  beforeAll(async () => {
    running = await startGatewayWithTokens({ without: ['token-gating'] });
    client = await running.suite.createClient();
    // The first login of a wallet creates its user.
    const ae = running.mint.aeToken(running.mint.aeClaims(client.clientId));
    expect((await running.ask('/account/me', { Authorization: `AE ${ae}` })).status).toBe(200);
  });

  afterAll(async () => {
    await running.stop();
  });

  const query = (sql: string, parameters: unknown[] = []) =>
    queryDatabase(running.suite.databaseUrl, sql, parameters);
  const countListLoads = () => running.identityProxy.requests.filter((path) => path === LIST).length;
  const bearer = (jti: string) =>
    `Bearer ${running.mint.bearer(running.mint.accessClaims(client.clientId, { jti }))}`;
  const me = (token: string, url = running.gateway.url) =>
    fetch(`${url}/account/me`, { headers: { Authorization: token } });
  /** Revokes so many tokens, the given one last. */
  const revokeMany = (count: number, jti: string) =>
    query(
      `INSERT INTO identity.revoked_tokens (id, expires_at)
       SELECT unnest(array_append(ARRAY(SELECT $2 || n FROM generate_series(1, $1::int - 1) n), $2)),
         now() + interval '1 hour'`,
      [count, jti],
    );
  const tellOf = (jti: string) =>
    query(
      `INSERT INTO identity.credential_changes (token_id)
       SELECT id FROM identity.revoked_tokens WHERE id LIKE $1 || '%' ORDER BY length(id) DESC`,
      [jti],
    );

  it('revocation feed: is read page by page at the start', async () => {
    const jti = `zz-${randomUUID()}`;
    await revokeMany(9_000, jti);
    const before = countListLoads();
    const late = await running.suite.another('gateway', { IDENTITY_URL: running.identityProxy.url });
    expect(countListLoads() - before).toBe(3);
    expect((await me(bearer(jti), late.url)).status).toBe(401);
    expect((await me(bearer(`${jti}1`), late.url)).status).toBe(401);
    expect((await me(bearer(randomUUID()), late.url)).status).toBe(200);
    await late.stop();
  });

  it('T51: revocation feed: revokes tokens of a tenant while those of others fill the memory of a gateway', async () => {
    const old = `zz-${randomUUID()}`;
    await revokeMany(9_000, old);
    const loads = countListLoads();
    const full = await running.suite.another('gateway', {
      IDENTITY_URL: running.identityProxy.url,
      ADDRESS_REQUESTS_PER_SECOND: '1000',
      MAX_REVOKED_TOKENS: '100',
    });
    const count = () => running.identityProxy.requests.filter((path) => path === FIND).length;
    const status = async (token: string) => (await me(token, full.url)).status;
    // The gateway loads no more at the start than it holds, and asks for the others.
    expect(countListLoads() - loads).toBe(1);
    expect([await status(bearer(old)), await status(bearer(randomUUID()))]).toEqual([401, 200]);
    const [used, unused, later, valid] = ['used', 'unused', 'later', 'valid'].map(
      (use) => `${use}-${randomUUID()}`,
    ) as [string, string, string, string];
    const tokens = { used: bearer(used), later: bearer(later), valid: bearer(valid) };
    expect(await status(tokens.used)).toBe(200);
    const crowd = `crowd-${randomUUID()}`;
    await revokeMany(3_000, crowd);
    await tellOf(crowd);
    await waitUntilRejected(() => me(bearer(crowd), full.url));
    // Cached as valid before, never presented before, and cached as valid afterwards.
    await revokeToken(running.suite.databaseUrl, used);
    expect(await waitUntilRejected(() => me(tokens.used, full.url))).toBeLessThan(5_000);
    await revokeToken(running.suite.databaseUrl, unused, 'long ago');
    expect(await status(bearer(unused))).toBe(401);
    for (const token of [tokens.later, tokens.valid]) expect(await status(token)).toBe(200);
    const asked = count();
    for (let n = 0; n < 5; n += 1) expect(await status(tokens.valid)).toBe(200);
    expect(count()).toBe(asked);
    await revokeToken(running.suite.databaseUrl, later);
    expect(await waitUntilRejected(() => me(tokens.later, full.url))).toBeLessThan(5_000);
    expect(await status(tokens.valid)).toBe(200);
    await full.stop();
  });

  it('revocation feed: returns many changes in several pages, without reloading the full list', async () => {
    const jti = `many-${randomUUID()}`;
    const token = bearer(jti);
    expect((await me(token)).status).toBe(200);
    const before = countListLoads();
    await revokeMany(3_500, jti);
    await tellOf(jti);
    await waitUntilRejected(() => me(token));
    for (const id of [jti, `${jti}1`, `${jti}3499`]) expect((await me(bearer(id))).status).toBe(401);
    expect(countListLoads()).toBe(before);
  });

  it('revocation feed: reloads the full list when the feed no longer has the missed changes', async () => {
    const jti = randomUUID();
    const token = bearer(jti);
    expect((await me(token)).status).toBe(200);
    await revokeToken(running.suite.databaseUrl, jti, 'long ago');
    // A single transaction, because a poll between both would miss nothing.
    await query(
      `INSERT INTO identity.credential_changes (client_id) SELECT 'client_x' FROM generate_series(1, 5);
       DELETE FROM identity.credential_changes
       WHERE seq < (SELECT max(seq) FROM identity.credential_changes)`,
    );
    await waitUntilRejected(() => me(token));
    expect((await me(token)).status).toBe(401);
  });

  it('revocation feed: catches up after an identity outage', async () => {
    const jti = randomUUID();
    const token = bearer(jti);
    expect((await me(token)).status).toBe(200);
    const { refused } = running.identityProxy;
    running.identityProxy.isDown = true;
    // No earlier poll is under way then.
    await until('a poll is refused', () => refused.includes(POLL));
    await revokeToken(running.suite.databaseUrl, jti);
    // Authenticated, but the upstream is down.
    expect((await me(token)).status).toBe(502);
    running.identityProxy.isDown = false;
    await waitUntilRejected(() => me(token));
    expect((await me(token)).status).toBe(401);
  });

  it('revocation feed: is not trusted while a page of the full list is missing', async () => {
    let pageRequests = 0;
    running.identityProxy.answer('/internal/credentials/revoked-tokens', (response) => {
      pageRequests += 1;
      const page = JSON.stringify({ tokens: [], next: 'a' });
      if (pageRequests % 2 === 1) response.writeHead(200, { 'content-type': 'application/json' }).end(page);
      else response.writeHead(500).end();
    });
    const deaf = await running.suite.spawnAnother('gateway', { IDENTITY_URL: running.identityProxy.url });
    await until('it has requested more than one page, twice', () => Promise.resolve(pageRequests >= 4));
    expect((await me(bearer(randomUUID()), deaf.url)).status).toBe(503);
    expect((await fetch(`${deaf.managementUrl}/health/ready`)).status).toBe(503);
  });
});
