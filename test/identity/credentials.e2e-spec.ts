import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClientCredential } from '@app/auth';
import type { CredentialResponse, CredentialChanges } from '@app/dto';
import { COMMAND_LINE_ACTOR } from '../../apps/identity/src/applications/audit/audit-action.js';
import type { CommandServices } from '../../apps/identity/src/applications/command/command-services.js';
import type { CreatedClientApplication } from '../../apps/identity/src/applications/insert-client-application.js';
import type { PlanTerms } from '../../apps/identity/src/applications/plans/plan-terms.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { runningApp, type RunningApp } from '../support/running-app.js';
import { GATEWAY_ITSELF, identityUnderTest, type IdentityUnderTest } from './identity-under-test.js';
import { identityServices } from './identity-services.js';
import { queryDatabase } from './query-database.js';

const FREE: PlanTerms = { plan: 'free', perSecond: null, perMonth: null };
const PAID: PlanTerms = { ...FREE, plan: 'paid' };

describe('credentials', () => {
  let database: FreshDatabase;
  let identity: IdentityUnderTest;
  let app: RunningApp;
  let services: CommandServices;

  beforeAll(async () => {
    database = await freshDatabase('identity');
    identity = await identityUnderTest(database.url);
    app = await runningApp('identity', identity.env);
    services = await identityServices(identity.env);
  });

  afterAll(async () => {
    await services.database.close();
    expect(await app.stop()).toBe(0);
    await database.drop();
  });

  const lookUp = async (apiKey: string): Promise<CredentialResponse> => {
    const response = await identity.post('/internal/credentials', GATEWAY_ITSELF, { apiKey });
    expect(response.status).toBe(200);
    return (await response.json()) as CredentialResponse;
  };

  const changesAfter = async (sequence: number): Promise<CredentialChanges> => {
    const response = await identity.get(`/internal/credentials/changes?after=${sequence}`, GATEWAY_ITSELF);
    expect(response.status).toBe(200);
    return (await response.json()) as CredentialChanges;
  };

  const createClient = (tenant: PlanTerms | string): Promise<CreatedClientApplication> =>
    services.clientApplications.create({
      name: 'shop',
      type: 'confidential',
      scopes: ['token-gating', 'accountkit'],
      tenant,
    });

  it('API key look-up: returns client, plan, limits and scopes of a key', async () => {
    const created = await createClient({ plan: 'enterprise', perSecond: 1_000, perMonth: 5_000_000_000 });
    const { asOf, credential } = await lookUp(created.apiKey);
    expect(credential).toEqual({
      keyId: created.keyId,
      clientId: created.clientId,
      ownerId: created.ownerId,
      plan: 'enterprise',
      limits: { perSecond: 1_000, perMonth: 5_000_000_000 },
      scopes: ['token-gating', 'accountkit'],
      expiresAt: null,
    });
    expect(asOf).toBe((await changesAfter(0)).last);
  });

  it('API key look-up: returns the limits of a free or paid plan', async () => {
    const free = await createClient(FREE);
    const paid = await createClient(PAID);
    expect((await lookUp(free.apiKey)).credential).toMatchObject({
      limits: { perSecond: 10, perMonth: 10_000 },
    });
    expect((await lookUp(paid.apiKey)).credential).toMatchObject({
      limits: { perSecond: 15, perMonth: 1_000_000 },
    });
  });

  it.each<[string, (created: CreatedClientApplication) => Promise<unknown>]>([
    ['a revoked key', ({ keyId }) => services.apiKeys.revoke(keyId)],
    ['a key revoked by its text', ({ apiKey }) => services.apiKeys.revoke(apiKey)],
    ['a key of a removed application', ({ clientId }) => services.clientApplications.remove(clientId)],
  ])('API key look-up: returns nothing for %s, and records the change in the feed', async (_, revoke) => {
    const created = await createClient(FREE);
    const { asOf, credential } = await lookUp(created.apiKey);
    expect(credential?.keyId).toBe(created.keyId);
    await revoke(created);
    const after = await lookUp(created.apiKey);
    expect(after.credential).toBeNull();
    expect(after.asOf).toBeGreaterThan(asOf);
    expect(await changesAfter(asOf)).toEqual({
      last: after.asOf,
      hasMore: false,
      truncated: false,
      clientIds: [created.clientId],
      revoked: [],
    });
  });

  it('API key look-up: expires a key after an overlap, while its successor works', async () => {
    const created = await createClient(FREE);
    const successor = await services.apiKeys.create(created.clientId);
    await services.apiKeys.revoke(created.keyId, 3_600);
    const ending = (await lookUp(created.apiKey)).credential?.expiresAt;
    expect(Date.parse(ending ?? '')).toBeGreaterThan(Date.now());
    // A second revocation does not extend the overlap.
    await services.apiKeys.revoke(created.keyId, 7_200);
    expect((await lookUp(created.apiKey)).credential?.expiresAt).toBe(ending);
    await queryDatabase(database.url, `UPDATE identity.api_keys SET expires_at = now() WHERE id = $1`, [
      created.keyId,
    ]);
    expect((await lookUp(created.apiKey)).credential).toBeNull();
    expect((await lookUp(successor.text)).credential?.clientId).toBe(created.clientId);
  });

  it('API key look-up: records scope changes in the feed, and plan changes for all applications of the tenant', async () => {
    const one = await createClient(FREE);
    const two = await createClient(one.ownerId);
    const { last } = await changesAfter(0);
    await services.clientApplications.setScopes(two.clientId, ['community:analytics']);
    const scoped = await changesAfter(last);
    expect(scoped.clientIds).toEqual([two.clientId]);
    expect((await lookUp(two.apiKey)).credential?.scopes).toEqual(['community:analytics']);
    await services.plans.setPlan(COMMAND_LINE_ACTOR, one.ownerId, PAID);
    const planned = await changesAfter(scoped.last);
    expect(planned.clientIds.sort()).toEqual([one.clientId, two.clientId].sort());
    expect((await lookUp(one.apiKey)).credential?.plan).toBe('paid');
  });

  it('API key look-up: returns nothing for unknown keys and client secrets', async () => {
    const { clientSecret } = await createClient(FREE);
    for (const text of [
      createClientCredential('gth', 'local').text,
      clientSecret ?? 'none',
      '',
      "' OR 1=1 --",
      'ü',
      '\ud83d\ude00',
    ]) {
      expect((await lookUp(text)).credential).toBeNull();
    }
  });

  it.each([
    [{ apiKey: 'x'.repeat(129) }, 'apiKey'],
    [{ apiKey: 1 }, 'apiKey'],
    [{ apiKey: '\0' }, 'apiKey'],
    [{}, 'apiKey'],
  ])('API key look-up: rejects %j and names the field', async (body, path) => {
    const response = await identity.post('/internal/credentials', GATEWAY_ITSELF, body);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { details: { issues: { path: string }[] } } };
    expect(error.details.issues.map((issue) => issue.path)).toEqual([path]);
  });

  it('API key look-up: bounds the feed and sets truncated for deleted changes', async () => {
    const { clientId } = await createClient(FREE);
    const before = await changesAfter(0);
    expect(before.truncated).toBe(false);
    await queryDatabase(
      database.url,
      `INSERT INTO identity.credential_changes (client_id) SELECT 'client_' || n FROM generate_series(1, 10100) n`,
    );
    await services.clientApplications.setScopes(clientId, []);
    expect((await changesAfter(before.last)).truncated).toBe(true);
    const { last } = await changesAfter(1e12);
    const rows = await queryDatabase(
      database.url,
      'SELECT count(*)::int AS rows FROM identity.credential_changes',
    );
    expect(rows).toEqual([{ rows: 10_000 }]);
    expect(await changesAfter(last - 1)).toEqual({
      last,
      hasMore: false,
      truncated: false,
      clientIds: [clientId],
      revoked: [],
    });
    const nothing = { hasMore: false, truncated: false, clientIds: [], revoked: [] };
    expect(await changesAfter(last)).toEqual({ ...nothing, last });
    // Changes that do not fit one response are paged in order.
    const firstPage = await changesAfter(last - 2_500);
    expect(firstPage).toMatchObject({ last: last - 1_500, hasMore: true, truncated: false });
    expect(firstPage.clientIds).toHaveLength(1_000);
    expect(await changesAfter(last - 1_000)).toMatchObject({ last, hasMore: false, truncated: false });
    // A number above the newest one: the database was restored from a backup.
    expect((await changesAfter(last + 1)).truncated).toBe(true);
  });

  it('API key look-up: stores and logs neither keys nor secrets', async () => {
    const created = await createClient(FREE);
    const { apiKey } = created;
    const clientSecret = created.clientSecret ?? 'a confidential client has one';
    await lookUp(apiKey);
    await identity.post('/internal/credentials', GATEWAY_ITSELF, { apiKey, [apiKey]: clientSecret });
    const tables = [
      'plan_holders',
      'client_applications',
      'api_keys',
      'client_secrets',
      'credential_changes',
    ];
    for (const text of [apiKey, clientSecret]) {
      const secretPart = text.slice(text.lastIndexOf('_') + 1, -4);
      for (const table of tables) {
        const sql = `SELECT 1 FROM identity.${table} t WHERE position($1 in t::text) > 0
          OR position(encode(convert_to($1, 'UTF8'), 'hex') in t::text) > 0`;
        expect(await queryDatabase(database.url, sql, [secretPart])).toEqual([]);
      }
      expect(app.logLines.filter((line) => line.includes(secretPart))).toEqual([]);
    }
    expect(app.logLines.length).toBeGreaterThan(0);
  });
});
