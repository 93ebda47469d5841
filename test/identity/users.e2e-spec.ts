import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Principal, deriveUserId } from '@app/auth';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { queryDatabase } from './query-database.js';
import { SignInWorld } from './sign-in-world.js';

const ORIGIN = 'https://shop.example';
const SOLANA = '4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS';
const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

describe('users', () => {
  let world: SignInWorld;

  beforeAll(async () => {
    world = await SignInWorld.lease();
  });

  const newAddress = () => privateKeyToAccount(generatePrivateKey()).address;

  const as = (id: string, account?: string): Principal => ({
    kind: 'caller',
    user: { id, account },
    scopes: ['$public'],
  });

  const me = async (principal: Principal) => {
    const response = await world.identity.get('/account/me', principal);
    return { status: response.status, body: (await response.json()) as { id: string; createdTime: string } };
  };

  const walletsOf = (userId: string) =>
    queryDatabase(
      world.database.url,
      `SELECT address, account_id, wallet_key, platform, wallet_type, chain_id
       FROM identity.wallet_connections WHERE user_id = $1`,
      [userId],
    );

  it('users of identity: are stored at the first request', async () => {
    const address = newAddress();
    const id = deriveUserId('ethereum', address.toLowerCase());
    const before = Date.now() - 60_000;
    const { status, body } = await me(as(id, `eip155:137:${address}`));
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      platform: 'ethereum',
      address: `eip155:1:${address}`,
      createdTime: body.createdTime,
    });
    expect(Date.parse(body.createdTime)).toBeGreaterThan(before);
    expect(await me(as(id))).toEqual({ status, body });
    // An externally owned account is the same user on every chain.
    expect(await me(as(id, `eip155:1:${address}`))).toEqual({ status, body });
    expect(await walletsOf(id)).toEqual([
      {
        address,
        account_id: `eip155:137:${address}`,
        wallet_key: address.toLowerCase(),
        platform: 'ethereum',
        wallet_type: 'eoa',
        chain_id: '137',
      },
    ]);
  });

  it('users of identity: are stored once for concurrent requests', async () => {
    const address = newAddress();
    const id = deriveUserId('ethereum', address.toLowerCase());
    const answers = await Promise.all(Array.from({ length: 10 }, () => me(as(id, `eip155:1:${address}`))));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await walletsOf(id)).toHaveLength(1);
  });

  it('users of identity: are distinct per chain for a contract wallet', async () => {
    const address = newAddress();
    const ids = [1, 10].map((chain) =>
      deriveUserId('ethereum', `eip155:${String(chain)}:${address.toLowerCase()}`),
    );
    for (const [at, id] of ids.entries()) {
      const chain = [1, 10][at] ?? 0;
      expect((await me(as(id, `eip155:${String(chain)}:${address}`))).body).toMatchObject({
        id,
        address: `eip155:${String(chain)}:${address}`,
      });
      expect(await walletsOf(id)).toMatchObject([
        { wallet_type: 'contract', wallet_key: `eip155:${String(chain)}:${address.toLowerCase()}` },
      ]);
    }
  });

  it('users of identity: can be Solana wallets', async () => {
    const id = deriveUserId('solana', SOLANA);
    const { status, body } = await me(as(id, `${MAINNET}:${SOLANA}`));
    expect([status, body]).toMatchObject([200, { id, platform: 'solana', address: `${MAINNET}:${SOLANA}` }]);
    expect(await walletsOf(id)).toMatchObject([{ wallet_type: 'solana', address: SOLANA }]);
  });

  it('users of identity: are 404 without a wallet that matches the id', async () => {
    const address = newAddress();
    const others = deriveUserId('ethereum', newAddress().toLowerCase());
    expect((await me(as('user_nobody'))).status).toBe(404);
    expect((await me(as(others, `eip155:1:${address}`))).status).toBe(404);
    expect((await me(as(others, 'nonsense'))).status).toBe(404);
    expect(await walletsOf(others)).toEqual([]);
  });

  it('are required: a client application alone gets 401', async () => {
    const client = await world.client([ORIGIN]);
    expect((await me(client)).status).toBe(401);
  });
});
