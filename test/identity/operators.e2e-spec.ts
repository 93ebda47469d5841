import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import type { CredentialResponse } from '@app/dto';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { runningApp, type RunningApp } from '../support/running-app.js';
import type { PlanUsage } from '../../apps/identity/src/applications/plans/plan-usage.service.js';
import { ApplicationOwner, type Application } from './application-owner.js';
import { GATEWAY_ITSELF, identityUnderTest, type IdentityUnderTest } from './identity-under-test.js';
import { queryDatabase } from './query-database.js';

const KEY_ACCOUNT = '0xAbCd000000000000000000000000000000000001';
const CONTRACT = '0xabcd000000000000000000000000000000000002';
const SOLANA = 'So11111111111111111111111111111111111111112';

const key = deriveUserId('ethereum', KEY_ACCOUNT.toLowerCase());
const solana = deriveUserId('solana', SOLANA);
const contractOn = (chain: number) => deriveUserId('ethereum', `eip155:${chain}:${CONTRACT}`);
const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;

interface Pending extends Application {
  ownerId: string;
  ownerUserId?: string;
  awaitingScopes: string[];
}

describe('operators', () => {
  let database: FreshDatabase;
  let identity: IdentityUnderTest;
  let app: RunningApp;
  let owner: ApplicationOwner;
  let operator: ApplicationOwner;
  let users = 0;

  beforeAll(async () => {
    database = await freshDatabase('identity');
    identity = await identityUnderTest(database.url, {
      OPERATOR_ACCOUNTS: `eip155:1:${KEY_ACCOUNT}, eip155:10:${CONTRACT},solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${SOLANA}`,
    });
    app = await runningApp('identity', identity.env);
    operator = new ApplicationOwner(identity, { id: key, authTime: secondsAgo(60) });
  });

  afterAll(async () => {
    expect(await app.stop()).toBe(0);
    await database.drop();
  });

  const register = async (scopes: string[]) => {
    owner = new ApplicationOwner(identity, { id: `user_${String(++users)}` });
    return (await owner.register({ scopes, redirectUris: ['https://shop.example/cb'] })).application;
  };

  const decide = (clientId: string, decision: 'approvals' | 'rejections', body: object) =>
    operator.ask<Application>('POST', `/operator/client-applications/${clientId}/${decision}`, body);

  const pending = async () =>
    (await operator.ask<{ items: Pending[] }>('GET', '/operator/client-applications')).body.items;

  const audited = (target: string) =>
    queryDatabase(
      database.url,
      'SELECT actor_kind, actor_id, action, details FROM identity.audit_records WHERE target = $1 ORDER BY id',
      [target],
    );

  it.each<[string, () => ApplicationOwner['user'], number]>([
    ['an externally owned account, on any chain', () => ({ id: key, authTime: secondsAgo(60) }), 200],
    [
      'a contract wallet on the configured chain',
      () => ({ id: contractOn(10), authTime: secondsAgo(60) }),
      200,
    ],
    ['a contract wallet on another chain', () => ({ id: contractOn(1), authTime: secondsAgo(60) }), 403],
    ['a Solana account', () => ({ id: solana, authTime: secondsAgo(60) }), 200],
    [
      'another user',
      () => ({ id: 'user_1', account: `eip155:1:${KEY_ACCOUNT}`, authTime: secondsAgo(60) }),
      403,
    ],
    [
      'an operator who signed in with a passkey',
      () => ({ id: key, authTime: secondsAgo(60), amr: ['pop', 'user'] }),
      403,
    ],
    ['an operator whose wallet signed in', () => ({ id: key, authTime: secondsAgo(60), amr: ['pop'] }), 200],
    ['an operator who signed in 14 minutes ago', () => ({ id: key, authTime: secondsAgo(14 * 60) }), 200],
    ['an operator who signed in 16 minutes ago', () => ({ id: key, authTime: secondsAgo(16 * 60) }), 403],
    [
      'an operator with a sign-in time in the future',
      () => ({ id: key, authTime: secondsAgo(-86_400) }),
      403,
    ],
    ['an operator without a sign-in time', () => ({ id: key }), 403],
  ])('operators: authorize or reject %s', async (_, createUser, status) => {
    const user = createUser();
    const caller = new ApplicationOwner(identity, user);
    const calls = [
      ['GET', '/operator/client-applications'],
      ['POST', '/operator/client-applications/client_1/approvals', { revision: 1 }],
      ['POST', '/operator/client-applications/client_1/rejections', { revision: 1, reason: 'no' }],
      ['PUT', '/operator/plan-holders/owner_1/plan', { plan: 'paid' }],
      ['GET', '/operator/audit-records'],
      ['POST', '/operator/users/user_none/erasure'],
      ['PUT', '/operator/usernames/nobody_there', { userId: 'user_none' }],
      ['DELETE', '/operator/usernames/nobody_there'],
    ] as const;
    const answers = await Promise.all(calls.map(([method, path, body]) => caller.ask(method, path, body)));
    const expected = status === 403 ? Array.from(calls, () => 403) : [200, 404, 404, 404, 200, 404, 404, 404];
    expect(answers.map((answer) => answer.status)).toEqual(expected);
    const reason = user.amr?.includes('user') ? 'wallet_login_required' : 'recent_login_required';
    if (status === 403)
      expect(new Set(answers.map(({ code }) => code))).toEqual(
        new Set([user.id === key ? reason : 'operator_required']),
      );
  });

  it('operators: erase the person behind a user, and publish that', async () => {
    await queryDatabase(
      database.url,
      `INSERT INTO identity.users (id, platform, platform_user_id, name, picture)
       VALUES ('user_ann', 'chat', '77', 'Ann', 'https://ann.example/face.png')`,
      [],
    );
    await queryDatabase(
      database.url,
      `INSERT INTO identity.platform_user_profiles (client_id, user_id, name) VALUES ('client_1', 'user_ann', 'Ann')`,
      [],
    );
    await queryDatabase(
      database.url,
      `INSERT INTO identity.ens_names (user_id, name, checked_at) VALUES ('user_ann', 'ann.eth', now())`,
      [],
    );
    await queryDatabase(
      database.url,
      `CREATE TABLE erased AS SELECT payload FROM identity.outbox LIMIT 0;
       CREATE FUNCTION copy_erased() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO erased VALUES (NEW.payload); RETURN NEW; END $$;
       CREATE TRIGGER copy_erased AFTER INSERT ON identity.outbox FOR EACH ROW
         WHEN (NEW.payload @> '{"events": [{"type": "user.erased"}]}') EXECUTE FUNCTION copy_erased()`,
      [],
    );
    await queryDatabase(
      database.url,
      `INSERT INTO identity.passkeys (id, user_id, user_handle, credential_id, public_key, counter, transports,
         is_backup_eligible, is_backed_up, name)
       SELECT 'passkey_of_' || owner, owner, sha256(owner::bytea), owner::bytea, '', 0, '{}', false, false, 'Phone'
       FROM unnest(ARRAY ['user_ann', 'user_bob']) AS owner`,
      [],
    );
    expect((await operator.ask('POST', '/operator/users/user_ann/erasure')).status).toBe(200);
    const passkeys = 'SELECT user_id FROM identity.passkeys';
    expect(await queryDatabase(database.url, passkeys, [])).toEqual([{ user_id: 'user_bob' }]);
    const [user] = await queryDatabase(
      database.url,
      `SELECT name, picture FROM identity.users WHERE id = 'user_ann'`,
      [],
    );
    expect(user).toEqual({ name: null, picture: null });
    const profiles = `SELECT FROM identity.platform_user_profiles WHERE user_id = 'user_ann'`;
    expect(await queryDatabase(database.url, profiles, [])).toEqual([]);
    const ensNames = `SELECT name FROM identity.ens_names WHERE user_id = 'user_ann'`;
    expect(await queryDatabase(database.url, ensNames, [])).toEqual([{ name: null }]);
    expect(await queryDatabase(database.url, 'SELECT payload FROM erased', [])).toMatchObject([
      { payload: { events: [{ userId: 'user_ann' }] } },
    ]);
    expect(await audited('user_ann')).toMatchObject([{ actor_kind: 'operator', action: 'user.erased' }]);
  });

  it('T282: eraseUser: keeps the usernames of the user from everybody, without telling them', async () => {
    await queryDatabase(
      database.url,
      `INSERT INTO identity.users (id, platform, platform_user_id, username, username_changes)
       VALUES ('user_eve', 'ethereum', '0xe', 'eve_of_old', ARRAY [now()])`,
      [],
    );
    await queryDatabase(
      database.url,
      `INSERT INTO identity.used_usernames (username_hash, user_id) VALUES (sha256('earlier'), 'user_eve')`,
      [],
    );
    for (let times = 0; times < 2; times += 1)
      expect((await operator.ask('POST', '/operator/users/user_eve/erasure')).status).toBe(200);
    const users = `SELECT username, username_changes FROM identity.users WHERE id = 'user_eve'`;
    expect(await queryDatabase(database.url, users, [])).toEqual([{ username: null, username_changes: [] }]);
    const used = 'SELECT user_id FROM identity.used_usernames';
    expect(await queryDatabase(database.url, used, [])).toEqual([{ user_id: null }, { user_id: null }]);
  });

  it('giveUsername, freeUsername: move a username to another user, and let anybody choose it', async () => {
    await queryDatabase(
      database.url,
      `INSERT INTO identity.users (id, platform, platform_user_id, username) VALUES
         ('user_squatter', 'ethereum', '0x5a', 'acme'), ('user_acme', 'solana', 'acme', 'acme_official'), ('user_chat', 'chat', '78', NULL)`,
      [],
    );
    const give = (userId: string) => operator.ask('PUT', '/operator/usernames/acme', { userId });
    for (const userId of ['user_none', 'user_chat'])
      expect(await give(userId)).toMatchObject({ status: 404, code: 'user_not_found' });
    for (let times = 0; times < 2; times += 1) expect((await give('user_acme')).status).toBe(200);
    const users = `
      SELECT id, username, cardinality(username_changes) AS changes FROM identity.users
      WHERE id IN ('user_acme', 'user_squatter') ORDER BY id`;
    expect(await queryDatabase(database.url, users, [])).toEqual([
      { id: 'user_acme', username: 'acme', changes: 0 },
      { id: 'user_squatter', username: null, changes: 0 },
    ]);
    const kept = `SELECT user_id FROM identity.used_usernames WHERE user_id IN ('user_acme', 'user_squatter')`;
    // The earlier one of the user is kept, too.
    expect(await queryDatabase(database.url, kept, [])).toEqual([
      { user_id: 'user_acme' },
      { user_id: 'user_acme' },
    ]);
    const given = { action: 'username.given', details: { username: 'acme' } };
    expect(await audited('user_acme')).toMatchObject([given, given]);
    const free = (username: string) => operator.ask('DELETE', `/operator/usernames/${username}`);
    expect((await free('acme')).status).toBe(200);
    expect(await free('acme')).toMatchObject({ status: 404, code: 'username_not_found' });
    expect(await queryDatabase(database.url, users, [])).toMatchObject([
      { username: null },
      { username: null },
    ]);
    expect(await queryDatabase(database.url, kept, [])).toHaveLength(1);
    expect(await audited('acme')).toMatchObject([{ actor_kind: 'operator', action: 'username.freed' }]);
    // Erased above, so that it belonged to nobody.
    expect((await free('eve_of_old')).status).toBe(200);
    expect((await operator.ask('DELETE', '/operator/usernames/Not-one')).status).toBe(400);
    const likeAnId = await operator.ask('PUT', '/operator/usernames/user_acme', { userId: 'user_acme' });
    expect(likeAnId).toMatchObject({ status: 400, code: 'input_invalid' });
    // Operators free usernames that look so, which were given before that was refused.
    expect(await free('user_acme')).toMatchObject({ status: 404, code: 'username_not_found' });
  });

  it('eraseUser: removes the usernames that operators gave to the user from the audit log, and those of nobody else', async () => {
    for (const user of ['iva', 'jon']) {
      await queryDatabase(
        database.url,
        `INSERT INTO identity.users (id, platform, platform_user_id) VALUES ($1, 'ethereum', $2)`,
        [`user_${user}`, `0xc_${user}`],
      );
      const path = `/operator/usernames/${user}_given`;
      expect((await operator.ask('PUT', path, { userId: `user_${user}` })).status).toBe(200);
    }
    expect((await operator.ask('POST', '/operator/users/user_iva/erasure')).status).toBe(200);
    expect(await audited('user_iva')).toMatchObject([
      { actor_kind: 'operator', action: 'username.given', details: {} },
      { action: 'user.erased' },
    ]);
    expect(JSON.stringify(await audited('user_iva'))).not.toContain('iva_given');
    expect(await audited('user_jon')).toMatchObject([{ details: { username: 'jon_given' } }]);
  });

  it('eraseUser: ends the grants, codes and tokens of all applications, and of nobody else', async () => {
    for (const [index, user] of ['hal', 'ida'].entries()) {
      await queryDatabase(
        database.url,
        `INSERT INTO identity.users (id, platform, platform_user_id) VALUES ($1, 'ethereum', $2)`,
        [`user_${user}`, `0xb${index}`],
      );
      await queryDatabase(
        database.url,
        `INSERT INTO identity.oauth_models (kind, id, grant_id, client_id, account_id, payload, expires_at)
         SELECT kind, kind || client || $1, 'Grant' || client || $1, client, 'user_' || $1,
           '{"openid": {"scope": "user:verifiable-credential:write"}}', now() + interval '1 hour'
         FROM unnest(ARRAY ['Grant', 'AccessToken', 'RefreshToken', 'AuthorizationCode']) AS kind,
           unnest(ARRAY ['shop', 'bank']) AS client`,
        [user],
      );
      await queryDatabase(
        database.url,
        `INSERT INTO identity.ae_tokens (jti, user_id, client_id, scopes, issued_at, expires_at)
         VALUES ('ae' || $1, 'user_' || $1, 'wallet_shop', '{}', now(), now() + interval '1 hour')`,
        [user],
      );
    }
    expect((await operator.ask('POST', '/operator/users/user_hal/erasure')).status).toBe(200);
    const left = `
      SELECT account_id, count(*)::int FROM identity.oauth_models WHERE account_id IN ('user_hal', 'user_ida') GROUP BY 1
      UNION ALL SELECT user_id, count(*)::int FROM identity.ae_tokens GROUP BY 1`;
    expect(await queryDatabase(database.url, left, [])).toEqual([
      { account_id: 'user_ida', count: 8 },
      { account_id: 'user_ida', count: 1 },
    ]);
    const revoked = 'SELECT count(*)::int FROM identity.revoked_tokens';
    // Access tokens of both applications, the token of the wallet login, and the credentials signed for all three.
    expect(await queryDatabase(database.url, revoked, [])).toEqual([{ count: 6 }]);
  });

  it('eraseUser: signs the user out of every browser, and nobody else', async () => {
    await queryDatabase(
      database.url,
      `INSERT INTO identity.users (id, platform, platform_user_id)
       VALUES ('user_fay', 'ethereum', '0xf'), ('user_gil', 'ethereum', '0xa')`,
      [],
    );
    await queryDatabase(
      database.url,
      `INSERT INTO identity.browser_sessions (id_hash, user_id, account, signed_in_at, seen_at, expires_at)
       SELECT sha256(convert_to(browser || id, 'UTF8')), id, 'eip155:1:0xf', now(), now(), now() + interval '1 hour'
       FROM unnest(ARRAY ['phone', 'desk']) AS browser, unnest(ARRAY ['user_fay', 'user_gil']) AS id`,
      [],
    );
    expect((await operator.ask('POST', '/operator/users/user_fay/erasure')).status).toBe(200);
    const left = `SELECT user_id FROM identity.browser_sessions WHERE user_id IN ('user_fay', 'user_gil')`;
    expect(await queryDatabase(database.url, left, [])).toEqual([
      { user_id: 'user_gil' },
      { user_id: 'user_gil' },
    ]);
  });

  it('operators: list pending applications with the scopes to decide about', async () => {
    const awaiting = await register(['user:read', 'token-gating', 'accountkit']);
    const { clientId } = await register(['user:read']);
    const listed = await pending();
    expect(listed.map((application) => application.clientId)).not.toContain(clientId);
    expect(listed.find((application) => application.clientId === awaiting.clientId)).toMatchObject({
      status: 'pending',
      redirectUris: ['https://shop.example/cb'],
      awaitingScopes: ['token-gating', 'accountkit'],
      approvedScopes: ['user:read'],
    });
  });

  it('operators: approve all or some scopes, recorded in the change feed', async () => {
    const one = await register(['user:read', 'token-gating', 'accountkit']);
    const approved = await decide(one.clientId, 'approvals', { revision: 1 });
    expect(approved.body).toMatchObject({
      status: 'approved',
      approvedScopes: ['user:read', 'token-gating', 'accountkit'],
    });
    const made = await owner.register({ scopes: ['user:read', 'token-gating', 'accountkit'] });
    const { clientId } = made.application;
    await decide(clientId, 'approvals', { revision: 1, scopes: ['accountkit'] });
    const response = await identity.post('/internal/credentials', GATEWAY_ITSELF, { apiKey: made.apiKey });
    const { asOf, credential } = (await response.json()) as CredentialResponse;
    expect(credential?.scopes).toEqual(['user:read', 'accountkit']);
    const feed = await identity.get(`/internal/credentials/changes?after=${asOf - 1}`, GATEWAY_ITSELF);
    expect(await feed.json()).toMatchObject({ clientIds: [clientId] });
    expect((await pending()).map((waiting) => waiting.clientId)).not.toContain(clientId);
    expect(await audited(clientId)).toMatchObject([
      { actor_kind: 'user', action: 'client.created' },
      {
        actor_kind: 'operator',
        actor_id: key,
        action: 'client.approved',
        details: { revision: 1, scopes: ['user:read', 'accountkit'] },
      },
    ]);
  });

  it('operators: cannot approve scopes that were not requested', async () => {
    const { clientId } = await register(['token-gating', 'user:read']);
    for (const extra of ['accountkit', 'operator', 'community:analytics', 'user:read'])
      expect(
        await decide(clientId, 'approvals', { revision: 1, scopes: ['token-gating', extra] }),
      ).toMatchObject({ status: 400, code: 'scope_invalid' });
    expect((await owner.get(clientId)).body).toMatchObject({
      status: 'pending',
      approvedScopes: ['user:read'],
    });
  });

  it('operators: cannot decide about another revision than they reviewed', async () => {
    const { clientId } = await register(['token-gating']);
    await owner.change(clientId, { redirectUris: ['https://evil.example/cb'] });
    for (const decision of ['approvals', 'rejections'] as const)
      expect(
        await decide(clientId, decision, {
          revision: 1,
          reason: decision === 'rejections' ? 'no' : undefined,
        }),
      ).toMatchObject({
        status: 409,
        code: 'client_conflict',
      });
    expect((await owner.get(clientId)).body.approvedScopes).toEqual([]);
  });

  it('operators: never approve a name that changes concurrently', async () => {
    const { clientId } = await register(['token-gating']);
    for (let round = 0; round < 10; round++) {
      const { revision } = (await owner.get(clientId)).body;
      const name = `shop ${round}`;
      const [, changed] = await Promise.all([
        decide(clientId, 'approvals', { revision }),
        owner.change(clientId, { name }),
      ]);
      expect(changed.status).toBe(200);
      const { body } = await owner.get(clientId);
      expect(body).toMatchObject({ name, status: 'pending' });
      expect(body.approvedValues?.name).not.toBe(name);
    }
  });

  it('operators: reject with a reason that the owner sees until the application changes', async () => {
    const { clientId } = await register(['user:read', 'token-gating']);
    const answer = await decide(clientId, 'rejections', { revision: 1, reason: 'No imprint.' });
    const rejected = { status: 'rejected', rejectionReason: 'No imprint.', approvedScopes: ['user:read'] };
    expect(answer.body).toMatchObject(rejected);
    expect((await owner.get(clientId)).body).toMatchObject(rejected);
    const after = (await owner.change(clientId, { name: 'shop with imprint' })).body;
    expect(after.status).toBe('pending');
    expect(after.rejectionReason).toBeUndefined();
  });

  it.each([
    ['name', { name: 'another' }],
    ['icon', { iconUrl: 'https://shop.example/icon.png' }],
    ['redirect URIs', { redirectUris: ['https://other.example/cb'] }],
    ['origins', { origins: ['https://other.example'] }],
    ['redirect URIs after a logout', { postLogoutRedirectUris: ['https://other.example/out'] }],
  ])(
    'T255: clientApplications: keep what was approved until an operator approves another %s',
    async (_, change) => {
      const { clientId } = await register(['user:read', 'token-gating']);
      await decide(clientId, 'approvals', { revision: 1 });
      const { approvedValues } = (await owner.get(clientId)).body;
      const after = (await owner.change(clientId, change)).body;
      const scopes = { approvedScopes: ['user:read', 'token-gating'] };
      expect(after).toMatchObject({ ...change, ...scopes, status: 'pending', revision: 2 });
      // What the owner replaces is removed at once, with the sign-in origins of the redirect URIs.
      const removed = Object.fromEntries([...Object.keys(change), 'origins'].map((name) => [name, []]));
      const isReplaced = 'redirectUris' in change || 'origins' in change;
      expect(after.approvedValues).toEqual(isReplaced ? { ...approvedValues, ...removed } : approvedValues);
      await decide(clientId, 'approvals', { revision: 2 });
      const decided = (await owner.get(clientId)).body;
      expect(decided).toMatchObject({ ...scopes, status: 'approved', approvedValues: change });
    },
  );

  it('T255: clientApplications: a name that an operator rejects is never approved, and the next change waits', async () => {
    const { clientId } = await register(['user:read', 'token-gating']);
    await decide(clientId, 'approvals', { revision: 1 });
    await owner.change(clientId, { name: 'Your Bank' });
    const rejected = await decide(clientId, 'rejections', { revision: 2, reason: 'Not yours' });
    expect(rejected.body).toMatchObject({ name: 'Your Bank', approvedValues: { name: 'shop' } });
    expect(rejected.body).toMatchObject({ status: 'rejected', approvedScopes: ['user:read'] });
    const again = (await owner.change(clientId, { name: 'shop' })).body;
    expect(again).toMatchObject({ name: 'shop', status: 'pending', approvedScopes: ['user:read'] });
  });

  it('T255: clientApplications: no operator has reviewed what needs no approval, until one approves it', async () => {
    const { clientId } = await register(['user:read']);
    const made = (await owner.get(clientId)).body;
    expect([made.status, made.approvedValues]).toEqual(['approved', undefined]);
    await owner.change(clientId, { name: 'Your Bank' });
    expect((await owner.get(clientId)).body.approvedValues).toBeUndefined();
    await decide(clientId, 'approvals', { revision: 2 });
    const renamed = (await owner.change(clientId, { name: 'Our Bank' })).body;
    expect(renamed).toMatchObject({ status: 'pending', approvedValues: { name: 'Your Bank' } });
    expect((await pending()).map((waiting) => waiting.clientId)).toContain(clientId);
    const back = (await owner.change(clientId, { name: 'Your Bank' })).body;
    expect(back).toMatchObject({ status: 'approved', approvedValues: { name: 'Your Bank' } });
  });

  it.each([
    ['nothing changes', { name: 'shop', redirectUris: ['https://shop.example/cb'] }, 1],
    ['only token settings change', { implicit: true, idTokenAlg: 'ES256', tokenResponse: 'form' }, 2],
    ['a scope is dropped', { scopes: ['token-gating'] }, 2],
  ])('operators: need not approve again when %s', async (_, change, revision) => {
    const { clientId } = await register(['user:read', 'token-gating']);
    await decide(clientId, 'approvals', { revision: 1 });
    const after = (await owner.change(clientId, change)).body;
    expect(after).toMatchObject({ status: 'approved', revision });
    expect(after.approvedScopes).toEqual(after.requestedScopes);
    expect(after.approvedScopes).toContain('token-gating');
  });

  it('operators: decide about additional scopes while the approved ones stay', async () => {
    const { clientId } = await register(['token-gating']);
    await decide(clientId, 'approvals', { revision: 1 });
    const after = (await owner.change(clientId, { scopes: ['token-gating', 'accountkit', 'user:read'] }))
      .body;
    expect(after).toMatchObject({ status: 'pending', approvedScopes: ['token-gating', 'user:read'] });
  });

  it('operators: are not needed for scopes without approval', async () => {
    const { clientId } = await register(['user:read', 'community:write']);
    const after = (await owner.change(clientId, { name: 'another' })).body;
    expect(after).toMatchObject({ status: 'approved', approvedScopes: ['user:read', 'community:write'] });
  });

  it('operators: set plans for every application of the tenant', async () => {
    const { clientId } = await register(['token-gating']);
    const ownerId = (await pending()).find((application) => application.clientId === clientId)?.ownerId ?? '';
    const path = `/operator/plan-holders/${ownerId}/plan`;
    const enterprise = { plan: 'enterprise', requestsPerSecond: 50, requestsPerMonth: 5_000 };
    expect((await operator.ask('PUT', path, enterprise)).status).toBe(200);
    expect((await operator.ask('PUT', path, { plan: 'enterprise' })).status).toBe(400);
    expect((await operator.ask('PUT', path, { ...enterprise, plan: 'free' })).status).toBe(400);
    const made = await owner.register();
    const response = await identity.post('/internal/credentials', GATEWAY_ITSELF, { apiKey: made.apiKey });
    expect(((await response.json()) as CredentialResponse).credential).toMatchObject({
      plan: 'enterprise',
      limits: { perSecond: 50, perMonth: 5_000 },
    });
    expect(await audited(ownerId)).toMatchObject([
      { actor_kind: 'operator', actor_id: key, action: 'plan.set', details: { plan: 'enterprise' } },
    ]);
  });

  it('setPlan: an enterprise plan limits client applications and live keys, also of requests at the same time', async () => {
    const { clientId } = await register(['token-gating']);
    const ownerId = (await pending()).find((application) => application.clientId === clientId)?.ownerId ?? '';
    const path = `/operator/plan-holders/${ownerId}/plan`;
    const requests = { plan: 'enterprise', requestsPerSecond: 50, requestsPerMonth: 5_000 };
    const limits = { clientApplications: 9, apiKeys: 11 };
    expect((await operator.ask('PUT', path, { ...requests, ...limits })).status).toBe(200);
    const { used: before } = (await owner.ask<PlanUsage>('GET', '/client-applications/usage')).body
      .clientApplications;
    const codes = await Promise.all(
      Array.from({ length: 12 }, () => owner.ask('POST', '/client-applications', { name: 'raced' })),
    );
    expect(codes.filter(({ status }) => status === 201)).toHaveLength(9 - before);
    expect(new Set(codes.filter(({ status }) => status !== 201).map(({ code }) => code))).toEqual(
      new Set(['client_limit_exceeded']),
    );
    const keys = await Promise.all(
      Array.from({ length: 12 }, () => owner.ask('POST', `/client-applications/${clientId}/api-keys`)),
    );
    expect(new Set(keys.filter(({ status }) => status >= 300).map(({ code }) => code))).toEqual(
      new Set(['api_key_limit_exceeded']),
    );
    const usage = async () => (await owner.ask<PlanUsage>('GET', '/client-applications/usage')).body;
    expect(await usage()).toMatchObject({
      clientApplications: { limit: 9, used: 9 },
      apiKeys: { limit: 11, used: 11 },
    });
    expect(await audited(ownerId)).toMatchObject([
      { action: 'plan.set', details: { plan: 'enterprise', maxClientApplications: 9, maxApiKeys: 11 } },
    ]);

    // What exists stays below a lower limit; null and absence are no limit.
    for (const lower of [{ ...limits, clientApplications: 1 }, { clientApplications: null }, {}]) {
      expect((await operator.ask('PUT', path, { ...requests, ...lower })).status).toBe(200);
      const { status } = await owner.ask('POST', '/client-applications', { name: 'one more' });
      expect(status).toBe(lower.clientApplications === 1 ? 409 : 201);
    }
    expect((await usage()).clientApplications).toEqual({ used: 11 });
    for (const wrong of [0, -1, 1.5, '5', 2_147_483_648])
      expect((await operator.ask('PUT', path, { ...requests, apiKeys: wrong })).status).toBe(400);
    expect((await operator.ask('PUT', path, { plan: 'paid', apiKeys: 5 })).status).toBe(400);
    expect((await operator.ask('PUT', path, { ...requests, ...limits })).status).toBe(200);
    expect((await operator.ask('PUT', path, { plan: 'paid' })).status).toBe(200);
    expect((await usage()).clientApplications).toEqual({ limit: 500, used: 11 });
  });

  it('T394: operators: read audit records, which writes none', async () => {
    const { clientId } = await register(['token-gating']);
    await decide(clientId, 'approvals', { revision: 1 });
    const path = `/operator/audit-records?target=${clientId}`;
    const read = () => operator.ask<{ items: { action: string; actor: object }[] }>('GET', path);
    const actions = async () => (await read()).body.items.map(({ action }) => action);
    expect(await actions()).toEqual(['client.approved', 'client.created']);
    expect(await actions()).toEqual(['client.approved', 'client.created']);
  });
});

it('OPERATOR_ACCOUNTS: require valid accounts in the configuration', async () => {
  const identity = await identityUnderTest('postgres://127.0.0.1:1/none', { OPERATOR_ACCOUNTS: '0xabc' });
  await expect(runningApp('identity', identity.env)).rejects.toThrow('OPERATOR_ACCOUNTS');
});
