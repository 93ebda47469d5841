import { beforeAll, describe, expect, it } from '@jest/globals';
import base58 from 'bs58';
import { type ListAnswer, LinkingWorld, newKey, type User } from './linking-world.js';
import { SignInWorld } from './sign-in-world.js';
import { solanaKey } from './solana-key.js';

const addressesOf = ({ items }: ListAnswer) => (items as { address: string }[]).map(({ address }) => address);

describe('the wallets of a user', () => {
  let world: LinkingWorld;

  beforeAll(async () => {
    world = await LinkingWorld.of(await SignInWorld.lease());
  });

  const page = (user: User, query = '') => world.list(`/account/wallets${query}`, user);

  /** Inserts a wallet with a given creation time. */
  const put = async (user: User, address: string, createdAt: string, more: object = {}) => {
    const row = { key: address, type: 'eoa', chain: '1', ...more };
    await world.query(
      `INSERT INTO identity.wallet_connections
         (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id, created_at)
       VALUES ($1, $2, $3, $4, $5, 'ethereum', $6, $7, $8)`,
      [
        `wallet_${user.user.id}_${row.key}`,
        user.user.id,
        row.key,
        address,
        `eip155:${row.chain}:${address}`,
        row.type,
        row.chain,
        createdAt,
      ],
    );
  };

  /** A user with exactly these wallets, created one microsecond apart. */
  const userWith = async (names: string[]) => {
    const user = world.newUser();
    await page(user);
    await world.query('DELETE FROM identity.wallet_connections WHERE user_id = $1', [user.user.id]);
    for (const [at, name] of names.entries())
      await put(user, name, `2026-01-01T00:00:00.00000${String(at)}Z`);
    return user;
  };

  describe('list', () => {
    it('wallets of a user, list: contains the wallet of a user who is only known from a credential', async () => {
      const key = newKey();
      const user = world.userOf(key);
      const { status, items, paginationToken } = await page(user);
      expect([status, paginationToken]).toEqual([200, undefined]);
      expect(items).toEqual([
        {
          id: expect.stringMatching(/^wallet_\w{17}$/) as unknown,
          createdTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as unknown,
          address: key.address,
          accountId: `eip155:1:${key.address}`,
          userId: user.user.id,
          platform: 'ethereum',
          walletType: 'eoa',
          chainId: '1',
          metadata: {},
        },
      ]);
    });

    it('wallets of a user, list: is empty without wallets', async () => {
      const user = await userWith([]);
      expect(await page(user)).toMatchObject({ status: 200, items: [] });
    });

    it('wallets of a user, list: has each wallet on exactly one page, sorted by microsecond and id', async () => {
      const user = await userWith(['a', 'b', 'c', 'd', 'e']);
      await put(user, 'c2', '2026-01-01T00:00:00.000002Z');
      const seen: string[][] = [];
      let token: string | undefined;
      do {
        const answer = await page(user, `?limit=2${token === undefined ? '' : `&paginationToken=${token}`}`);
        seen.push(addressesOf(answer));
        token = answer.paginationToken;
      } while (token !== undefined);
      expect(seen).toEqual([
        ['a', 'b'],
        ['c', 'c2'],
        ['d', 'e'],
      ]);
    });

    it('wallets of a user, list: continues at the same position while wallets are added and removed', async () => {
      const user = await userWith(['a', 'b', 'c', 'd', 'e']);
      const first = await page(user, '?limit=2');
      expect(addressesOf(first)).toEqual(['a', 'b']);
      await world.query(
        "DELETE FROM identity.wallet_connections WHERE user_id = $1 AND address IN ('a', 'b', 'c')",
        [user.user.id],
      );
      await put(user, 'before', '2025-12-31T00:00:00Z');
      await put(user, 'after', '2026-01-02T00:00:00Z');
      const second = await page(user, `?limit=2&paginationToken=${first.paginationToken ?? ''}`);
      expect(addressesOf(second)).toEqual(['d', 'e']);
      const third = await page(user, `?limit=2&paginationToken=${second.paginationToken ?? ''}`);
      expect([addressesOf(third), third.paginationToken]).toEqual([['after'], undefined]);
    });

    it('wallets of a user, list: has 25 items per page by default', async () => {
      const names = Array.from({ length: 26 }, (_, n) => String.fromCharCode(97 + n));
      const user = await userWith([]);
      for (const [at, name] of names.entries())
        await put(user, name, `2026-01-01T00:00:${String(at).padStart(2, '0')}Z`);
      expect(addressesOf(await page(user))).toEqual(names.slice(0, 25));
      expect(addressesOf(await page(user, '?limit=100'))).toEqual(names);
    });

    it('wallets of a user, list: rejects pagination tokens of other users and altered ones', async () => {
      const [user, other] = [await userWith(['a', 'b']), await userWith(['a', 'b'])];
      const { paginationToken: token = '' } = await page(user, '?limit=1');
      const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
      for (const [who, text] of [
        [other, token],
        [user, changed],
        [user, 'abc'],
        [user, ''],
      ] as const) {
        const { status, error } = await page(who, `?paginationToken=${text}`);
        expect([status, error?.details.issues?.map(({ path }) => path)]).toEqual([400, ['paginationToken']]);
      }
      expect((await page(user, `?paginationToken=${token}`)).status).toBe(200);
    });

    it.each(['0', '101', 'abc', '-1', '1.5', ''])(
      'wallets of a user, list: rejects a limit of %j',
      async (limit) => {
        const { status, error } = await page(world.newUser(), `?limit=${limit}`);
        expect([status, error?.details.issues?.map(({ path }) => path)]).toEqual([400, ['limit']]);
      },
    );
  });

  describe('removal', () => {
    const remove = async (user: User, address?: string) => {
      const response = await world.remove(user, address);
      return [response.status, await response.text()];
    };
    const linked = async () => {
      const [user, key] = [world.newUser(), newKey()];
      await world.linkKey(user, key);
      return { user, key };
    };

    it.each<[string, (address: string) => string]>([
      ['by its address', (address) => address],
      ['in lower case', (address) => address.toLowerCase()],
      ['in upper case', (address) => `0x${address.slice(2).toUpperCase()}`],
      ['by CAIP-10', (address) => `eip155:1:${address}`],
      [
        'by CAIP-10 of another chain, because the account is the same on all',
        (address) => `eip155:10:${address.toLowerCase()}`,
      ],
    ])('wallets of a user, removal: publishes wallet.unlinked, %s', async (_, nameOf) => {
      const { user, key } = await linked();
      expect(await remove(user, nameOf(key.address))).toEqual([200, '']);
      expect((await world.listPublishedEvents(user)).slice(1)).toEqual([
        `wallet.linked eip155:1:${key.address}`,
        `wallet.unlinked eip155:1:${key.address}`,
      ]);
      const [, linkedEvent, unlinkedEvent] = await world.publishedEvents(user);
      expect((linkedEvent?.at ?? '') < (unlinkedEvent?.at ?? '')).toBe(true);
      expect((await world.remove(user, nameOf(key.address))).status).toBe(404);
      expect(await world.publishedEvents(user)).toHaveLength(3);
    });

    it('wallets of a user, removal: supports Solana wallets', async () => {
      const [user, wallet] = [world.newUser(), solanaKey()];
      for (const name of [wallet.address, `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${wallet.address}`]) {
        const message = await world.message(user);
        const signedMessage = base58.encode(wallet.signed(message));
        await world.link(user, { address: wallet.address, message, signedMessage });
        expect(await remove(user, name)).toEqual([200, '']);
      }
    });

    it('wallets of a user, removal: removes every wallet at an address, or the one on a named chain', async () => {
      const { user, key } = await linked();
      const contract = async (chain: string) => {
        const walletKey = `eip155:${chain}:${key.address.toLowerCase()}`;
        await put(user, key.address, '2026-01-01T00:00:00Z', { key: walletKey, type: 'contract', chain });
      };
      await contract('10');
      await contract('137');
      expect(await remove(user, `eip155:10:${key.address}`)).toEqual([200, '']);
      expect((await world.listPublishedEvents(user)).slice(-2).sort()).toEqual([
        `wallet.unlinked eip155:10:${key.address}`,
        `wallet.unlinked eip155:1:${key.address}`,
      ]);
      await contract('10');
      expect(await remove(user, key.address)).toEqual([200, '']);
      expect((await world.listPublishedEvents(user)).slice(-2).sort()).toEqual([
        `wallet.unlinked eip155:10:${key.address}`,
        `wallet.unlinked eip155:137:${key.address}`,
      ]);
    });

    it('wallets of a user, removal: is 404 for other users’ wallets and invalid names', async () => {
      const { user, key } = await linked();
      const other = world.newUser();
      await page(other);
      for (const name of [
        key.address,
        `eip155:1:${key.address}`,
        user.user.id,
        'x',
        '0x',
        'a:b:c',
        `${key.address}0`,
      ]) {
        const response = await world.remove(other, name);
        const { error } = (await response.json()) as { error: { details: { code: string } } };
        expect([name, response.status, error.details.code]).toEqual([name, 404, 'wallet_not_found']);
      }
      expect((await page(user)).items).toHaveLength(2);
      expect(await world.publishedEvents(other)).toHaveLength(1);
    });

    it('wallets of a user, removal of all: publishes one job', async () => {
      const { user, key } = await linked();
      expect(await remove(user)).toEqual([200, '']);
      expect((await world.listPublishedEvents(user)).slice(2).sort()).toEqual(
        [`wallet.unlinked eip155:1:${key.address}`, `wallet.unlinked ${user.user.account ?? ''}`].sort(),
      );
      expect((await page(user)).items).toEqual([]);
      expect(await remove(user)).toEqual([200, '']);
      expect(await world.publishedEvents(user)).toHaveLength(4);
      const jobs = await world.query(
        "SELECT 1 FROM published WHERE payload -> 'events' -> 0 ->> 'userId' = $1",
        [user.user.id],
      );
      expect(jobs).toHaveLength(3);
    });

    it('wallets of a user, removal: publishes one event for concurrent requests', async () => {
      const { user, key } = await linked();
      const statuses = await Promise.all(
        Array.from({ length: 10 }, async () => (await world.remove(user, key.address)).status),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 404)).toHaveLength(9);
      expect(await world.publishedEvents(user)).toHaveLength(3);
    });
  });

  describe('sign-in', () => {
    const signIn = async (key: ReturnType<typeof newKey>) => {
      const client = await world.signIn.client(['https://shop.example']);
      const { body } = await world.signIn.challenge(client, {
        uri: 'https://shop.example',
        accountId: `eip155:137:${key.address}`,
      });
      const { requestId, message } = body;
      const signature = await key.signMessage({ message });
      return (await world.signIn.login(client, { requestId, signature })).status;
    };

    it('wallets of a user, sign-in: publishes wallet.linked at the first sign-in only', async () => {
      const key = newKey();
      const statuses = [await signIn(key), ...(await Promise.all([signIn(key), signIn(key), signIn(key)]))];
      expect(statuses).toEqual([200, 200, 200, 200]);
      expect(await world.listPublishedEvents(world.userOf(key))).toEqual([
        `wallet.linked eip155:137:${key.address}`,
      ]);
    });

    it('wallets of a user, sign-in: publishes one event for concurrent first sign-ins', async () => {
      const key = newKey();
      expect(await Promise.all([signIn(key), signIn(key), signIn(key), signIn(key)])).toEqual([
        200, 200, 200, 200,
      ]);
      expect(await world.publishedEvents(world.userOf(key))).toHaveLength(1);
    });

    it('wallets of a user, sign-in: links a removed wallet again', async () => {
      const key = newKey();
      const user = world.userOf(key);
      await signIn(key);
      expect((await world.remove(user, key.address)).status).toBe(200);
      expect(addressesOf(await page(user))).toEqual([]);
      expect((await world.list('/account/linked-users', user)).status).toBe(200);
      expect(addressesOf(await page(user))).toEqual([]);
      expect(await signIn(key)).toBe(200);
      expect(addressesOf(await page(user))).toEqual([key.address]);
      expect((await world.publishedEvents(user)).map(({ type }) => type)).toEqual([
        'wallet.linked',
        'wallet.unlinked',
        'wallet.linked',
      ]);
    });

    it('wallets of a user, sign-in: succeeds without linking at the wallet limit', async () => {
      const key = newKey();
      const user = world.userOf(key);
      await signIn(key);
      expect((await world.remove(user)).status).toBe(200);
      for (let n = 0; n < 25; n += 1) await put(user, `full${String(n)}`, '2026-01-01T00:00:00Z');
      expect(await signIn(key)).toBe(200);
      expect(addressesOf(await page(user, '?limit=100'))).not.toContain(key.address);
      expect(await world.publishedEvents(user)).toHaveLength(2);
    });
  });

  describe('linked users', () => {
    const linkedTo = async (user: User) => {
      const { items } = await world.list('/account/linked-users', user);
      return items;
    };

    it('wallets of a user, linked users: are the users that share a wallet', async () => {
      const key = newKey();
      const [one, two, three] = [world.newUser(), world.newUser(), world.newUser()];
      expect(await linkedTo(one)).toEqual([]);
      for (const user of [one, two]) await world.linkKey(user, key);
      await world.linkKey(two, newKey());
      await world.linkKey(three, newKey());
      expect(await linkedTo(one)).toEqual([two.user.id]);
      expect(await linkedTo(two)).toEqual([one.user.id]);
      expect(await linkedTo(three)).toEqual([]);
      // The wallet's own user, stored at this request.
      const itself = world.userOf(key);
      expect(await linkedTo(itself)).toEqual([one.user.id, two.user.id].sort());
      expect(await linkedTo(one)).toEqual([itself.user.id, two.user.id].sort());
      await world.remove(one, key.address);
      expect(await linkedTo(two)).toEqual([itself.user.id]);
    });

    it('wallets of a user, linked users: share Ethereum wallets only, and contract wallets on the same chain', async () => {
      const [one, two] = [await userWith([]), await userWith([])];
      await put(one, '0xa', '2026-01-01T00:00:00Z', { key: 'eip155:1:0xa', type: 'contract' });
      await put(two, '0xa', '2026-01-01T00:00:00Z', { key: 'eip155:10:0xa', type: 'contract', chain: '10' });
      expect(await linkedTo(one)).toEqual([]);
      const wallet = solanaKey();
      for (const user of [one, two]) {
        const message = await world.message(user);
        const signedMessage = base58.encode(wallet.signed(message));
        expect((await world.link(user, { address: wallet.address, message, signedMessage })).status).toBe(
          200,
        );
      }
      expect(await linkedTo(one)).toEqual([]);
      await put(two, '0xa', '2026-01-01T00:00:00Z', { key: 'eip155:1:0xa', type: 'contract' });
      expect(await linkedTo(one)).toEqual([two.user.id]);
    });

    it('wallets of a user, linked users: are at most a thousand', async () => {
      const user = await userWith(['shared-by-all', 'shared-too']);
      await world.query(
        "INSERT INTO identity.users (id, platform, platform_user_id) SELECT 'many_' || n, 'chat', 'many_' || n FROM generate_series(1000, 3999) AS n",
      );
      await world.query(
        `INSERT INTO identity.wallet_connections
           (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id)
         SELECT key || n, 'many_' || n, key, key, key, 'ethereum', 'eoa', '1'
         FROM generate_series(1000, 3999) AS n, (VALUES ('shared-by-all'), ('shared-too')) AS wallets (key)
         WHERE key = 'shared-by-all' OR n > 1500`,
      );
      const expected = Array.from({ length: 1_000 }, (_, n) => `many_${String(n + 1_000)}`);
      expect(await linkedTo(user)).toEqual(expected);
    });
  });
});
