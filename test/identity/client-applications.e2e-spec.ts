import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { CredentialResponse, CredentialChanges } from '@app/dto';
import type { FreshDatabase } from '../support/fresh-database.js';
import { ApplicationOwner, type Application, type Created } from './application-owner.js';
import { GATEWAY_ITSELF, type IdentityUnderTest } from './identity-under-test.js';
import { SignInWorld } from './sign-in-world.js';
import { queryDatabase } from './query-database.js';

interface Key {
  keyId: string;
  hint: string;
  expiresTime?: string;
  name?: string;
  scopes?: string[];
  lastUsedTime?: string;
}

describe('client applications of users', () => {
  let database: FreshDatabase;
  let identity: IdentityUnderTest;

  beforeAll(async () => {
    ({ database, identity } = await SignInWorld.lease());
  });

  const newUser = () => new ApplicationOwner(identity, { id: `user_${randomUUID()}` });

  const credentialOf = async (apiKey: string) => {
    const response = await identity.post('/internal/credentials', GATEWAY_ITSELF, { apiKey });
    return ((await response.json()) as CredentialResponse).credential;
  };

  const changesAfter = async (after: number): Promise<CredentialChanges> => {
    const response = await identity.get(`/internal/credentials/changes?after=${after}`, GATEWAY_ITSELF);
    return (await response.json()) as CredentialChanges;
  };

  const keysOf = async (owner: ApplicationOwner, clientId: string): Promise<Key[]> =>
    (await owner.ask<{ items: Key[] }>('GET', `/client-applications/${clientId}/api-keys`)).body.items;

  const secretsOf = (clientId: string) =>
    queryDatabase(
      database.url,
      `SELECT id, expires_at IS NOT NULL AS ends FROM identity.client_secrets
        WHERE client_id = $1 AND revoked_at IS NULL ORDER BY expires_at`,
      [clientId],
    );

  const successes = (answers: { status: number }[]) => answers.filter(({ status }) => status < 300).length;

  it('client applications of users: are registered, shown without secrets, and have scopes without approval at once', async () => {
    const owner = newUser();
    const scopes = ['openid', 'user:read', 'token-gating'];
    const created = await owner.register({
      scopes,
      redirectUris: ['https://shop.example/cb', 'http://localhost:3000/cb'],
    });
    expect(created.application).toMatchObject({
      name: 'shop',
      status: 'pending',
      requestedScopes: scopes,
      approvedScopes: ['openid', 'user:read'],
      redirectUris: ['https://shop.example/cb', 'http://localhost:3000/cb'],
    });
    expect(await credentialOf(created.apiKey)).toMatchObject({
      clientId: created.application.clientId,
      plan: 'free',
      scopes: ['openid', 'user:read'],
    });
    const shown = await owner.get(created.application.clientId);
    expect(shown.body).toEqual(created.application);
    const listed = await owner.ask<{ items: Application[] }>('GET', '/client-applications');
    expect(listed.body.items).toEqual([created.application]);
    const rows = JSON.stringify(
      await queryDatabase(database.url, 'SELECT * FROM identity.audit_records WHERE target = $1', [
        created.application.clientId,
      ]),
    );
    for (const secret of [created.apiKey, created.clientSecret ?? '-'])
      expect(JSON.stringify(shown) + JSON.stringify(listed) + rows).not.toContain(secret.slice(-49));
  });

  it('client applications of users: have no secret when they are public', async () => {
    const owner = newUser();
    const created = await owner.register({ type: 'public' });
    expect(created.clientSecret).toBeUndefined();
    const path = `/client-applications/${created.application.clientId}/secrets`;
    expect(await owner.ask('POST', path, {})).toMatchObject({
      status: 400,
      code: 'client_secret_not_supported',
    });
  });

  it('client applications of users: are 404 for other users', async () => {
    const { application, keyId, apiKey } = await newUser().register();
    const base = `/client-applications/${application.clientId}`;
    const stranger = newUser();
    await stranger.register();
    for (const other of [stranger, newUser()])
      for (const [method, path, body] of [
        ['GET', base],
        ['PATCH', base, { name: 'mine' }],
        ['DELETE', base],
        ['POST', `${base}/secrets`, {}],
        ['GET', `${base}/api-keys`],
        ['POST', `${base}/api-keys`],
        ['POST', `${base}/api-keys/${keyId}/rotations`, {}],
        ['DELETE', `${base}/api-keys/${keyId}`],
      ] as const) {
        const { status, code } = await other.ask(method, path, body);
        expect([method, path, status, code]).toEqual([method, path, 404, 'client_not_found']);
      }
    expect((await credentialOf(apiKey))?.keyId).toBe(keyId);
    const own = await stranger.register();
    const crossed = `/client-applications/${own.application.clientId}/api-keys/${keyId}`;
    expect(await stranger.ask('DELETE', crossed)).toMatchObject({ status: 404, code: 'api_key_not_found' });
    expect(await stranger.ask('POST', `${crossed}/rotations`, {})).toMatchObject({
      code: 'api_key_not_found',
    });
    expect((await credentialOf(apiKey))?.keyId).toBe(keyId);
  });

  it('client applications of users: stay within the plan limit when a new user registers ten at once', async () => {
    const owner = newUser();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => owner.ask('POST', '/client-applications', { name: 'shop' })),
    );
    expect(successes(answers)).toBe(5);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status, code }) => `${status} ${code ?? ''}`))).toEqual(
      new Set(['409 client_limit_exceeded']),
    );
    const tenants = `SELECT plan FROM identity.plan_holders WHERE user_id = $1`;
    expect(await queryDatabase(database.url, tenants, [owner.user.id])).toEqual([{ plan: 'free' }]);
  });

  it('client applications of users: stay within the plan limit when ten keys are created at once', async () => {
    const owner = newUser();
    const { application } = await owner.register();
    const path = `/client-applications/${application.clientId}/api-keys`;
    const answers = await Promise.all(Array.from({ length: 10 }, () => owner.ask('POST', path)));
    expect(successes(answers)).toBe(4);
    expect(await keysOf(owner, application.clientId)).toHaveLength(5);
  });

  it('client applications of users: rotate keys with an overlap, also at the limit of the plan', async () => {
    const owner = newUser();
    const { application, keyId, apiKey } = await owner.register();
    const path = `/client-applications/${application.clientId}/api-keys`;
    for (let n = 0; n < 4; n++) await owner.ask('POST', path);
    const rotate = (key: string, overlapSeconds: number) =>
      owner.ask<{ keyId: string; apiKey: string }>('POST', `${path}/${key}/rotations`, { overlapSeconds });
    const rotations = await Promise.all(Array.from({ length: 10 }, () => rotate(keyId, 600)));
    expect(successes(rotations)).toBe(1);
    expect(rotations.filter(({ code }) => code === 'api_key_conflict')).toHaveLength(9);
    const second = rotations.find(({ status }) => status === 201)?.body;
    if (!second) throw new Error('no rotation succeeded');
    expect((await credentialOf(apiKey))?.expiresAt).not.toBeNull();
    expect((await credentialOf(second.apiKey))?.expiresAt).toBeNull();
    expect((await owner.ask('POST', path)).code).toBe('api_key_limit_exceeded');
    const third = await rotate(second.keyId, 600);
    expect(third.status).toBe(201);
    // A single predecessor stays active, so that repeated rotation cannot exceed the limit.
    expect(await credentialOf(apiKey)).toBeNull();
    expect(await keysOf(owner, application.clientId)).toHaveLength(6);
    const last = await rotate(third.body.keyId, 0);
    expect(await credentialOf(third.body.apiKey)).toBeNull();
    expect((await credentialOf(last.body.apiKey))?.clientId).toBe(application.clientId);
  });

  it('client applications of users: replace a lost key and a lost secret without ending those before them', async () => {
    const owner = newUser();
    const { application, keyId, apiKey } = await owner.register();
    const path = `/client-applications/${application.clientId}`;
    for (let n = 0; n < 4; n++) await owner.ask('POST', `${path}/api-keys`);
    const rotate = async (key: string, body: object) =>
      (await owner.ask<{ keyId: string; apiKey: string }>('POST', `${path}/api-keys/${key}/rotations`, body))
        .body;
    const second = await rotate(keyId, { lost: true });
    const end = (await credentialOf(apiKey))?.expiresAt;
    const third = await rotate(second.keyId, { overlapSeconds: 2_000_000, lost: true });
    expect(await credentialOf(second.apiKey)).toBeNull();
    expect((await credentialOf(apiKey))?.expiresAt).toBe(end);
    expect((await credentialOf(third.apiKey))?.expiresAt).toBeNull();
    expect((await owner.ask('POST', `${path}/api-keys`)).code).toBe('api_key_limit_exceeded');
    expect(await keysOf(owner, application.clientId)).toHaveLength(6);
    await rotate(third.keyId, {});
    expect(await credentialOf(apiKey)).toBeNull();
    expect((await credentialOf(third.apiKey))?.expiresAt).not.toBeNull();

    await owner.ask('POST', `${path}/secrets`, { lost: true });
    const before = await secretsOf(application.clientId);
    await owner.ask('POST', `${path}/secrets`, { lost: true });
    const after = await secretsOf(application.clientId);
    expect(after).toMatchObject([before[0], { ends: false }]);
    expect(after[1]).not.toEqual(before[1]);
  });

  it('T392: keys with scopes: have those that the application has now, and keys from before all', async () => {
    const owner = newUser();
    const { application, keyId, apiKey } = await owner.register({
      scopes: ['token-gating', 'community:read'],
    });
    const { clientId } = application;
    const path = `/client-applications/${clientId}/api-keys`;
    const create = async (body: object) =>
      (await owner.ask<{ keyId: string; apiKey: string }>('POST', path, body)).body;
    const narrow = await create({ name: 'Checks', scopes: ['token-gating', 'accountkit', 'token-gating'] });
    const scopesOf = async (key: string) => (await credentialOf(key))?.scopes;
    expect([await scopesOf(apiKey), await scopesOf(narrow.apiKey)]).toEqual([['community:read'], []]);
    const approve =
      "UPDATE identity.client_applications SET approved_scopes = requested_scopes, status = 'approved' WHERE id = $1";
    await queryDatabase(database.url, approve, [clientId]);
    expect(await scopesOf(narrow.apiKey)).toEqual(['token-gating']);
    expect(await scopesOf(apiKey)).toEqual(['token-gating', 'community:read']);
    await owner.change(clientId, { scopes: ['community:read'] });
    expect(await scopesOf(narrow.apiKey)).toEqual([]);
    const keys = await keysOf(owner, clientId);
    expect(keys.map(({ keyId: id, name, scopes }) => ({ id, name, scopes }))).toEqual([
      { id: keyId, name: 'First key', scopes: undefined },
      { id: narrow.keyId, name: 'Checks', scopes: ['token-gating', 'accountkit'] },
    ]);
    for (const body of [
      { scopes: [] },
      { scopes: ['operator'] },
      { name: '' },
      { expiresTime: '2020-01-01T00:00:00Z' },
      { expiresTime: '2090-01-01T00:00:00Z' },
    ])
      expect({ body, status: (await owner.ask('POST', path, body)).status }).toEqual({ body, status: 400 });
  });

  it('T392: keys with an end: rotate to one with the same name, scopes and lifetime, and a key that is to end anyway does not', async () => {
    const owner = newUser();
    const { application, keyId } = await owner.register({ scopes: ['community:read'] });
    const path = `/client-applications/${application.clientId}/api-keys`;
    const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
    const body = { name: 'Job', scopes: ['community:read'], expiresTime: inMs(3_600_000) };
    const made = await owner.ask<{ keyId: string; apiKey: string }>('POST', path, body);
    expect((await credentialOf(made.body.apiKey))?.expiresAt).toBe(body.expiresTime);
    const halfLater = `UPDATE identity.api_keys SET created_at = created_at - interval '30 minutes',
      expires_at = expires_at - interval '30 minutes' WHERE id = $1`;
    await queryDatabase(database.url, halfLater, [made.body.keyId]);
    const rotation = { overlapSeconds: 60 };
    const rotated = await owner.ask<{ keyId: string }>(
      'POST',
      `${path}/${made.body.keyId}/rotations`,
      rotation,
    );
    const successor = (await keysOf(owner, application.clientId)).find(
      (key) => key.keyId === rotated.body.keyId,
    );
    expect(successor).toMatchObject({ name: 'Job', scopes: ['community:read'] });
    const left = Date.parse(successor?.expiresTime ?? '') - Date.now();
    expect(Math.round(left / 60_000)).toBe(60);
    expect((await owner.ask('POST', `${path}/${made.body.keyId}/rotations`, rotation)).code).toBe(
      'api_key_conflict',
    );
    const delayed = `UPDATE identity.api_keys SET expires_at = now() + interval '1 hour' WHERE id = $1`;
    await queryDatabase(database.url, delayed, [keyId]);
    expect((await owner.ask('POST', `${path}/${keyId}/rotations`, rotation)).code).toBe('api_key_conflict');
  });

  it('T390: keys that gateways report: have the hour of their last use, which an older report does not change', async () => {
    const owner = newUser();
    const { application, keyId } = await owner.register();
    const hourOf = (ago: number) =>
      new Date(Math.floor(Date.now() / 3_600_000 - ago) * 3_600_000).toISOString();
    const report = (hour: string) =>
      identity.post('/internal/credentials/used-keys', GATEWAY_ITSELF, { keyIds: [keyId, 'unknown'], hour });
    const lastUse = async () => (await keysOf(owner, application.clientId))[0]?.lastUsedTime;
    expect(await lastUse()).toBeUndefined();
    expect((await report(hourOf(1))).status).toBe(200);
    expect(await lastUse()).toBe(hourOf(1));
    await report(hourOf(0));
    await report(hourOf(2));
    await report(hourOf(-2));
    expect(await lastUse()).toBe(hourOf(0));
  });

  it('client applications of users: stay at the key limit after a successor is revoked', async () => {
    const owner = newUser();
    const { application, keyId } = await owner.register();
    const path = `/client-applications/${application.clientId}/api-keys`;
    for (let n = 0; n < 4; n++) await owner.ask('POST', path);
    const { body } = await owner.ask<{ keyId: string }>('POST', `${path}/${keyId}/rotations`, {});
    expect((await owner.ask('DELETE', `${path}/${body.keyId}`)).status).toBe(200);
    expect((await owner.ask('POST', path)).code).toBe('api_key_limit_exceeded');
  });

  it('client applications of users: have at most two active secrets after concurrent rotations', async () => {
    const owner = newUser();
    const { application } = await owner.register();
    const path = `/client-applications/${application.clientId}/secrets`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => owner.ask('POST', path, { overlapSeconds: 600 })),
    );
    expect(successes(answers)).toBe(10);
    expect(await secretsOf(application.clientId)).toMatchObject([{ ends: true }, { ends: false }]);
    await owner.ask('POST', path, { overlapSeconds: 0 });
    expect(await secretsOf(application.clientId)).toMatchObject([{ ends: false }]);
  });

  it('client applications of users: appear in the change feed after every change', async () => {
    const owner = newUser();
    const { application, keyId, apiKey } = await owner.register({ scopes: ['user:read'] });
    const base = `/client-applications/${application.clientId}`;
    let { last } = await changesAfter(0);
    for (const [method, path, body] of [
      ['PATCH', base, { scopes: [] }],
      ['POST', `${base}/secrets`, {}],
      ['POST', `${base}/api-keys/${keyId}/rotations`, { overlapSeconds: 60 }],
      ['DELETE', `${base}/api-keys/${keyId}`],
      ['POST', `${base}/api-keys`],
      ['DELETE', base],
    ] as const) {
      const answer = await owner.ask(method, path, body);
      expect([method, path, answer.status < 300]).toEqual([method, path, true]);
      const changes = await changesAfter(last);
      expect([method, path, changes.clientIds]).toEqual([method, path, [application.clientId]]);
      last = changes.last;
    }
    expect(await credentialOf(apiKey)).toBeNull();
    expect((await owner.get(application.clientId)).status).toBe(404);
    const actions = `SELECT action, actor_kind, actor_id FROM identity.audit_records WHERE target = $1 ORDER BY id`;
    const records = await queryDatabase(database.url, actions, [application.clientId]);
    const names = ['client.created', 'client.changed', 'client.secret-rotated', 'key.rotated', 'key.revoked'];
    expect(records).toEqual(
      [...names, 'key.created', 'client.removed'].map((action) => ({
        action,
        actor_kind: 'user',
        actor_id: owner.user.id,
      })),
    );
  });

  it('client applications of users: free their place in the plan when deleted', async () => {
    const owner = newUser();
    const created: Created[] = [];
    for (let n = 0; n < 5; n++) created.push(await owner.register());
    expect((await owner.ask('POST', '/client-applications', { name: 'shop' })).status).toBe(409);
    await owner.ask('DELETE', `/client-applications/${created[0]?.application.clientId ?? ''}`);
    await owner.register();
  });

  it.each([
    ['a portal scope', { scopes: ['user:client-application:write'] }, 'scopes.0'],
    ['the scope of operators', { scopes: ['operator'] }, 'scopes.0'],
    ['an unknown scope', { scopes: ['root'] }, 'scopes.0'],
    ['http on a public host', { redirectUris: ['http://shop.example/cb'] }, 'redirectUris.0'],
    ['a fragment', { redirectUris: ['https://shop.example/cb#a'] }, 'redirectUris.0'],
    ['another scheme', { redirectUris: ['javascript:alert(1)'] }, 'redirectUris.0'],
    ['an origin with a path', { origins: ['https://shop.example/'] }, 'origins.0'],
    ['an http origin on a public host', { origins: ['http://shop.example'] }, 'origins.0'],
    ['an icon without TLS', { iconUrl: 'http://shop.example/a.png' }, 'iconUrl'],
    ['an icon with a user name', { iconUrl: 'https://a@shop.example/a.png' }, 'iconUrl'],
    ['a name with a bidirectional override', { name: 'shop\u202e' }, 'name'],
    ['a name with a line break', { name: 'shop\nTrusted' }, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name with half a surrogate pair', { name: 'a\ud800' }, 'name'],
    [
      'too many URIs',
      { redirectUris: Array.from({ length: 21 }, (_, n) => `https://a/${n}`) },
      'redirectUris',
    ],
    ['an unknown field', { status: 'approved' }, ''],
  ])('client applications of users: cannot be registered with %s', async (_, fields, field) => {
    const answer = await newUser().ask<{ error: { details: { issues?: { path: string }[] } } }>(
      'POST',
      '/client-applications',
      { name: 'shop', ...fields },
    );
    expect(answer.status).toBe(400);
    const paths = answer.body.error.details.issues?.map(({ path }) => path);
    if (paths && field !== '') expect(paths).toContain(field);
  });
});
