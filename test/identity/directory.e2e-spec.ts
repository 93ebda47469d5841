import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Principal, PRINCIPAL_HEADER, deriveUserId } from '@app/auth';
import { createDatabase } from '@app/database';
import { pino } from 'pino';
import { storage } from '../../apps/identity/src/database/storage.js';
import { forgetUnlinkedWallets } from '../../apps/identity/src/users/wallets/unlinked-wallets-sweeper.js';
import { LinkingWorld, newKey, type User } from './linking-world.js';

const TOKEN_GATING: Principal = { kind: 'service', name: 'token-gating' };

/** What the sweeper does once a minute. */
async function forgetAll(databaseUrl: string): Promise<void> {
  const settings = {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: 1,
    DATABASE_STATEMENT_TIMEOUT_MS: 10_000,
  };
  const context = { name: 'test', logger: pino({ enabled: false }) };
  const database = createDatabase(storage, settings, context);
  await database.connect();
  await forgetUnlinkedWallets(database, 10);
  await database.close();
}

describe('internal user lookup', () => {
  let world: LinkingWorld;

  beforeAll(async () => {
    world = await LinkingWorld.start();
  });

  afterAll(async () => {
    await world.stop();
  });

  const post = async (
    path: string,
    body: object,
    principal: Principal = TOKEN_GATING,
    issuer = 'token-gating',
  ) => {
    const token = await world.signIn.identity.tokenFor(principal, issuer, 'identity');
    const response = await fetch(world.signIn.app.url + path, {
      method: 'POST',
      headers: { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const answerOf = async (path: string, body: object) => {
    const { status, body: answer } = await post(path, body);
    expect([status, answer]).toEqual([200, answer]);
    return answer;
  };

  const createUser = async () => {
    const key = newKey();
    const user = world.userOf(key);
    await world.message(user);
    return { key, user, wallet: { type: 'eoa', chainId: '1', address: key.address } };
  };

  describe('is limited to certain services', () => {
    const user = { platform: 'chat', platformUserId: '42' };
    const REQUESTS: [string, object, string[]][] = [
      ['/internal/wallets', { userIds: ['user_1'], communityId: 'community_1' }, ['token-gating']],
      [
        '/internal/wallets/of-members',
        { members: [{ communityId: 'community_1', userId: 'user_1' }] },
        ['token-gating'],
      ],
      ['/internal/wallets/links', { userIds: ['user_1'], communityId: 'community_1' }, ['token-gating']],
      ['/internal/communities/deleted', { communityId: 'community_1' }, ['token-gating']],
      ['/internal/wallets/of-account', { userId: 'user_1', asker: {} }, ['token-gating']],
      ['/internal/wallets/readers', { userIds: ['user_1'] }, ['token-gating']],
      ['/internal/users', { userIds: ['user_1'] }, ['token-gating']],
      ['/internal/users/names', { userIds: ['user_1'] }, ['token-gating']],
      ['/internal/users/matching', { userIds: ['user_1'], text: 'a' }, ['token-gating']],
      ['/internal/platform-users', { clientId: 'client_1', users: [user] }, ['token-gating']],
      ['/internal/client-plans', { clientIds: ['client_1'] }, ['token-gating', 'gateway']],
      ['/internal/user-plans', { userIds: ['user_1'] }, ['gateway']],
      ['/internal/credentials', { apiKey: 'x' }, ['gateway']],
      ['/internal/ethereum-credentials', { message: 'm', signature: `0x${'11'.repeat(65)}` }, ['gateway']],
    ];

    it.each(REQUESTS)('internal user lookup, limited services: %s', async (path, body, allowed) => {
      for (const name of ['gateway', 'token-gating', 'analytics', 'account-kit', 'identity']) {
        const { status } = await post(path, body, { kind: 'service', name }, name);
        expect([name, status]).toEqual([name, allowed.includes(name) ? 200 : 403]);
      }
      const caller = world.newUser();
      expect((await post(path, body, caller, 'gateway')).status).toBe(403);
      expect((await post(path, body, { kind: 'anonymous' }, 'gateway')).status).toBe(403);
    });
  });

  it('internal user lookup, matching: finds users by parts of their names and usernames, in any case, among those that are named', async () => {
    const [ada, bob, other] = [await createUser(), await createUser(), await createUser()];
    const ids = [ada, bob, other].map(({ user }) => user.user.id);
    const [adaId, bobId, otherId] = ids;
    await world.query("UPDATE identity.users SET name = 'Ada_L' WHERE id = $1", [adaId]);
    await world.query("UPDATE identity.users SET name = 'Robert', username = 'bob_ada' WHERE id = $1", [
      bobId,
    ]);
    await world.query("UPDATE identity.users SET name = 'Eve' WHERE id = $1", [otherId]);
    const find = async (text: string, userIds: readonly (string | undefined)[] = ids) => {
      const found = (await answerOf('/internal/users/matching', { userIds, text })) as { userIds: string[] };
      return found.userIds.sort();
    };
    expect(await find('ADA')).toEqual([adaId, bobId].sort());
    expect(await find('ada', [bobId])).toEqual([bobId]);
    expect(await find('%')).toEqual([]);
    expect(await find('a_l')).toEqual([adaId]);
  });

  describe('wallets of many users', () => {
    it('internal user lookup, wallets of many users: are listed oldest first, without users that have none', async () => {
      const [one, two, none] = [await createUser(), await createUser(), await createUser()];
      await world.remove(none.user);
      const more = newKey();
      await world.linkKey(one.user, more, { chainId: '10' });
      const userIds = [one, none, two].map(({ user }) => user.user.id);
      const request = { userIds: [...userIds, 'user_nobody'], communityId: 'community_1' };
      const { users } = (await answerOf('/internal/wallets', request)) as {
        users: { userId: string }[];
      };
      expect(users).toHaveLength(2);
      expect(users).toContainEqual({
        userId: one.user.user.id,
        wallets: [one.wallet, { type: 'eoa', chainId: '10', address: more.address }],
      });
      expect(users).toContainEqual({ userId: two.user.user.id, wallets: [two.wallet] });
    });

    it('internal user lookup, wallets of members: are those that count in the community of each, in the order of the request', async () => {
      const [one, two] = [await createUser(), await createUser()];
      await world.query(
        `INSERT INTO identity.wallet_connections (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id, community_id)
         SELECT id || '_3', user_id, wallet_key, address, account_id, platform, wallet_type, '10', 'community_1'
         FROM identity.wallet_connections WHERE user_id = $1`,
        [one.user.user.id],
      );
      const member = (communityId: string, userId: string) => ({ communityId, userId });
      const members = [
        member('community_2', two.user.user.id),
        member('community_1', one.user.user.id),
        member('community_2', 'user_nobody'),
        member('community_2', one.user.user.id),
        member('community_1', one.user.user.id),
      ];
      const here = [one.wallet, { ...one.wallet, chainId: '10' }];
      expect(await answerOf('/internal/wallets/of-members', { members })).toEqual({
        wallets: [[two.wallet], here, [], [one.wallet], here],
      });
      for (const count of [0, 101]) {
        const many = Array.from({ length: count }, () => member('community_1', 'user_1'));
        expect((await post('/internal/wallets/of-members', { members: many })).status).toBe(400);
      }
    });

    it('internal user lookup, wallets of many users: have links that are remembered for some days after they end', async () => {
      const { user, key } = await createUser();
      const more = newKey();
      await world.linkKey(user, more);
      const [first, second] = await world.publishedEvents(user);
      await world.remove(user, key.address);
      const [, , unlinked] = await world.publishedEvents(user);
      const request = { userIds: [user.user.id, 'user_nobody'], communityId: 'community_1' };
      const links = async () => (await answerOf('/internal/wallets/links', request)) as { users: object[] };
      expect(await links()).toEqual({
        users: [
          {
            userId: user.user.id,
            links: [
              { accountId: first?.accountId, linkedAt: first?.at, unlinkedAt: unlinked?.at },
              { accountId: second?.accountId, linkedAt: second?.at },
            ],
          },
        ],
      });
      // The day on which the sweeper forgets it.
      await world.query(
        `UPDATE identity.unlinked_wallets SET unlinked_at = now() - interval '8 days' WHERE user_id = $1`,
        [user.user.id],
      );
      await forgetAll(world.signIn.database.url);
      expect((await links()).users).toMatchObject([{ links: [{ accountId: second?.accountId }] }]);
    });

    it('internal user lookup, wallets of many users: require 1 to 1000 user ids', async () => {
      for (const count of [0, 1_001]) {
        const userIds = Array.from({ length: count }, (_, n) => `user_${String(n)}`);
        expect((await post('/internal/wallets', { userIds, communityId: 'community_1' })).status).toBe(400);
        expect((await post('/internal/users', { userIds })).status).toBe(400);
      }
    });
  });

  describe('T76: requests of another release', () => {
    it('internal user lookup, requests of another release: get only the wallets that count everywhere when they name no community', async () => {
      const { user, key, wallet } = await createUser();
      await world.query(
        `INSERT INTO identity.wallet_connections (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id, community_id)
         SELECT id || '_2', user_id, wallet_key, address, account_id, platform, wallet_type, '10', 'community_1'
         FROM identity.wallet_connections WHERE user_id = $1`,
        [user.user.id],
      );
      const walletsIn = async (body: object) => {
        const { users } = (await answerOf('/internal/wallets', body)) as { users: { wallets: unknown[] }[] };
        return users.map(({ wallets }) => wallets);
      };
      const former = { userIds: [user.user.id] };
      expect(await walletsIn(former)).toEqual([[wallet]]);
      const inCommunity = await walletsIn({ ...former, communityId: 'community_1', later: 1 });
      expect(inCommunity).toEqual([[wallet, { type: 'eoa', chainId: '10', address: key.address }]]);
    });

    it('internal user lookup, requests of another release: create users, but no profiles, when they name no client application', async () => {
      const users = [{ platform: 'chat', platformUserId: 'former', name: 'Ann', later: 1 }];
      const id = deriveUserId('chat', 'former');
      expect(await answerOf('/internal/platform-users', { users })).toEqual({ userIds: [id] });
      expect(await world.query('SELECT id FROM identity.users WHERE id = $1', [id])).toHaveLength(1);
      const profiles = 'SELECT 1 FROM identity.platform_user_profiles WHERE user_id = $1';
      expect(await world.query(profiles, [id])).toEqual([]);
    });
  });

  describe('wallets of one account', () => {
    /** The applications that are told of the user's wallets are those that may read them. */
    const walletsFor = async (user: User, asker: { userId?: string; clientId?: string }) => {
      const body = { userId: user.user.id, asker };
      const { wallets } = (await answerOf('/internal/wallets/of-account', body)) as { wallets: unknown };
      const { userId, clientId } = asker;
      if (userId === undefined && clientId !== undefined)
        expect((await readersOf(user)).includes(clientId)).toBe(wallets !== null);
      return wallets;
    };

    const readersOf = async ({ user }: User): Promise<string[]> => {
      const body = { userIds: [user.id, 'user_nobody'] };
      const { users } = (await answerOf('/internal/wallets/readers', body)) as {
        users: { userId: string; clientIds: string[] }[];
      };
      expect(users.every(({ userId }) => userId === user.id)).toBe(true);
      return users.flatMap(({ clientIds }) => clientIds);
    };

    /** Inserts a consent decision of the user. */
    const decide = (
      user: User,
      clientId: string,
      minutesAgo: number,
      { granted, refused }: { granted?: string; refused?: string },
      end = '1 hour',
    ) =>
      world.query(
        `INSERT INTO identity.oauth_models (kind, id, client_id, account_id, payload, decided_at, expires_at)
         VALUES ('Grant', gen_random_uuid()::text, $1, $2, $3, now() - make_interval(mins => $4), now() + $5::interval)`,
        [
          clientId,
          user.user.id,
          {
            ...(granted === undefined ? {} : { openid: { scope: granted } }),
            ...(refused === undefined ? {} : { rejected: { openid: { scope: refused } } }),
          },
          minutesAgo,
          end,
        ],
      );

    const signedIn = (user: User, clientId: string, scopes: string[], end: string) =>
      world.query(
        `INSERT INTO identity.ae_tokens (jti, user_id, client_id, scopes, issued_at, expires_at)
         VALUES (gen_random_uuid()::text, $1, $2, $3, now() - interval '1 hour', now() + $4::interval)`,
        [user.user.id, clientId, scopes, end],
      );

    it('internal user lookup, wallets of one account: are visible to the user', async () => {
      const { user, wallet } = await createUser();
      expect(await walletsFor(user, { userId: user.user.id })).toEqual([wallet]);
      expect(await walletsFor(user, { userId: user.user.id, clientId: 'client_a' })).toEqual([wallet]);
      await world.remove(user);
      expect(await walletsFor(user, { userId: user.user.id })).toEqual([]);
    });

    it('internal user lookup, wallets of one account: are hidden from others, like those of unknown users', async () => {
      const { user } = await createUser();
      const { user: other } = await createUser();
      for (const asker of [
        {},
        { userId: other.user.id },
        { clientId: 'client_a' },
        { clientId: user.user.id },
      ])
        expect(await walletsFor(user, asker)).toBeNull();
      const nobody = world.newUser();
      expect(await walletsFor(nobody, { userId: nobody.user.id })).toBeNull();
    });

    it("internal user lookup, wallets of one account: are visible to a client application with the user's consent only", async () => {
      const { user, wallet } = await createUser();
      const { user: other } = await createUser();
      await decide(user, 'client_a', 5, { granted: 'openid user:wallet:read' });
      await decide(user, 'client_b', 5, { granted: 'user:read user:wallet:write' });
      expect(await walletsFor(user, { clientId: 'client_a' })).toEqual([wallet]);
      expect(await walletsFor(user, { clientId: 'client_b' })).toBeNull();
      expect(await walletsFor(other, { clientId: 'client_a' })).toBeNull();
    });

    it('internal user lookup, wallets of one account: follow the latest consent decision until it expires', async () => {
      const { user, wallet } = await createUser();
      const visible = () => walletsFor(user, { clientId: 'client_a' });
      await decide(user, 'client_a', 50, { granted: 'user:wallet:read' });
      expect(await visible()).toEqual([wallet]);
      await decide(user, 'client_a', 40, { granted: 'user:read' });
      expect(await visible()).toEqual([wallet]);
      await decide(user, 'client_a', 30, { granted: 'user:read', refused: 'user:wallet:read' });
      expect(await visible()).toBeNull();
      await decide(user, 'client_a', 20, { granted: 'user:wallet:read' }, '-1 second');
      expect(await visible()).toBeNull();
      await decide(user, 'client_a', 10, { granted: 'user:wallet:read' });
      expect(await visible()).toEqual([wallet]);
      await world.query("DELETE FROM identity.oauth_models WHERE account_id = $1 AND kind = 'Grant'", [
        user.user.id,
      ]);
      expect(await visible()).toBeNull();
    });

    it('internal user lookup, wallets of one account: are visible to a client application where the user signed in with the scope', async () => {
      const { user, wallet } = await createUser();
      await signedIn(user, 'client_a', ['$public', 'user:read'], '1 hour');
      await signedIn(user, 'client_a', ['user:wallet:read'], '-1 second');
      expect(await walletsFor(user, { clientId: 'client_a' })).toBeNull();
      await signedIn(user, 'client_a', ['user:wallet:read'], '1 minute');
      expect(await walletsFor(user, { clientId: 'client_a' })).toEqual([wallet]);
      expect(await walletsFor(user, { clientId: 'client_b' })).toBeNull();
    });
  });

  it('internal user lookup: returns platforms and platform user ids', async () => {
    const { user, key } = await createUser();
    const userIds = [user.user.id, 'user_nobody'];
    expect(await answerOf('/internal/users', { userIds })).toEqual({
      users: [{ id: user.user.id, platform: 'ethereum', platformUserId: key.address.toLowerCase() }],
    });
  });

  describe('platform users', () => {
    const report = async (clientId: string, ...users: object[]) => {
      const body = { clientId, users };
      return ((await answerOf('/internal/platform-users', body)) as { userIds: string[] }).userIds;
    };
    const upsert = (...users: object[]) => report('client_a', ...users);
    const profileOf = async (id: string, clientId = 'client_a') => {
      const [row] = await world.query(
        `SELECT user_name, username, name, picture FROM identity.platform_user_profiles
         WHERE user_id = $1 AND client_id = $2`,
        [id, clientId],
      );
      return row;
    };

    it('internal user lookup, platform users: are stored with one id per platform', async () => {
      const ids = await upsert(
        { platform: 'chat', platformUserId: '7', name: 'Ann' },
        { platform: 'codehost', platformUserId: '7' },
      );
      expect(ids).toEqual([deriveUserId('chat', '7'), deriveUserId('codehost', '7')]);
      const stored = await world.query('SELECT platform FROM identity.users WHERE platform_user_id = $1', [
        '7',
      ]);
      expect(stored).toHaveLength(2);
      expect(await profileOf(ids[0] ?? '')).toMatchObject({ name: 'Ann' });
      expect(await profileOf(ids[1] ?? '')).toBeUndefined();
    });

    it('internal user lookup, platform users: keep fields that a later report omits', async () => {
      const [id = ''] = await upsert({ platform: 'chat', platformUserId: '8', name: 'Ann', username: 'ann' });
      await upsert({
        platform: 'chat',
        platformUserId: '8',
        name: 'Ann Lee',
        picture: 'https://a.example/p.png',
      });
      const profile = {
        name: 'Ann Lee',
        username: 'ann',
        user_name: null,
        picture: 'https://a.example/p.png',
      };
      expect(await profileOf(id)).toEqual(profile);
      await upsert({ platform: 'chat', platformUserId: '8' });
      expect(await profileOf(id)).toEqual(profile);
    });

    it('T56: internal user lookup, platform users: have the names and pictures of each client application, whichever reports them first', async () => {
      const user = { platform: 'chat', platformUserId: 'named first' };
      const insult = { ...user, name: 'Insult', picture: 'https://attacker.example/p.png' };
      const [id = ''] = await report('client_attacker', insult);
      const profile = { name: 'Ann', username: null, user_name: null, picture: null };
      expect(await report('client_victim', { ...user, name: 'Ann' })).toEqual([id]);
      expect(await profileOf(id, 'client_victim')).toEqual(profile);
      await report('client_attacker', insult);
      expect(await profileOf(id, 'client_victim')).toEqual(profile);
      expect(await profileOf(id, 'client_attacker')).toMatchObject({ name: 'Insult' });
    });

    it('internal user lookup, platform users: may be reported twice and concurrently', async () => {
      const users = Array.from({ length: 100 }, (_, n) => ({
        platform: 'microblog',
        platformUserId: `many ${String(n % 60)}`,
        ...(n < 60 ? { username: `first ${String(n)}` } : { username: 'second', name: 'later' }),
      }));
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => upsert(...(n % 2 === 0 ? users : [...users].reverse()))),
      );
      expect(answers[0]).toEqual(
        users.map(({ platformUserId }) => deriveUserId('microblog', platformUserId)),
      );
      const [{ count } = {}] = (await world.query(
        "SELECT count(*)::int FROM identity.users WHERE platform = 'microblog'",
      )) as { count?: number }[];
      expect(count).toBe(60);
      const [id = ''] = await upsert({ platform: 'microblog', platformUserId: 'many 3' });
      expect(await profileOf(id)).toMatchObject({ name: 'later' });
    });

    it.each<[string, object]>([
      ['with a wallet platform', { platform: 'ethereum', platformUserId: '0x1' }],
      ['without an id', { platform: 'chat', platformUserId: '' }],
      [
        'with a picture that is not a web URL',
        { platform: 'chat', platformUserId: '1', picture: 'javascript:x' },
      ],
    ])('internal user lookup, platform users: are rejected %s', async (_, user) => {
      expect((await post('/internal/platform-users', { clientId: 'client_a', users: [user] })).status).toBe(
        400,
      );
    });
  });
});
