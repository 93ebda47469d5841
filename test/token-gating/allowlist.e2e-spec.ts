import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { contractOn, eoa } from './wallet-book.js';

const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const DOWN_CHAIN = 1;
/** A chain of which the deployment has no node. */
const UNKNOWN_CHAIN = 999_999;
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const [client, user] = ['client_allowlist', 'user_allowlist'];
const lenient = { Prefer: 'handling=lenient' };

let world: RolesWorld;
let wallet: Address;
let contract: Address;

beforeAll(async () => {
  world = await RolesWorld.start({ [`RPC_URL_${DOWN_CHAIN}`]: 'http://127.0.0.1:9' });
  wallet = (await world.wallet()) as Address;
  ({ address: contract } = world.token);
  world.book.set(user, eoa(wallet), contractOn(world.chainId, contract));
  world.book.grant(user, client);
});

afterAll(async () => {
  await world.stop();
});

const list = (...accounts: string[]) => ({ type: 'ALLOWLIST', accounts });
const on = (chainId: number, address: string) => `eip155:${chainId}:${address}`;

async function isGranted(account: string, ...accounts: string[]): Promise<unknown> {
  const { body } = await world.gating.check(
    { account, rules: [list(...accounts)] },
    lenient,
    asClient(client),
  );
  const { roles, errors } = body as { roles: { granted: boolean }[]; errors?: { retryable: boolean }[] };
  return errors?.[0] ?? roles[0]?.granted;
}

describe('a rule of type ALLOWLIST', () => {
  it('rule of type ALLOWLIST: is granted to accounts of the list in any spelling, and to no other', async () => {
    const other = await world.wallet();
    expect([
      await isGranted(CHECKSUMMED.toLowerCase(), other, CHECKSUMMED),
      await isGranted(CHECKSUMMED, CHECKSUMMED.toLowerCase()),
      await isGranted(SOLANA, other, `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${SOLANA}`),
      await isGranted(other, CHECKSUMMED, SOLANA),
      await isGranted(SOLANA, other),
    ]).toEqual([true, true, true, false, false]);
  });

  it('rule of type ALLOWLIST: takes a contract only from an entry that names its chain', async () => {
    const away = world.chainId + 1;
    expect([
      await isGranted(user, contract),
      await isGranted(user, on(away, contract)),
      await isGranted(user, on(world.chainId, contract)),
      await isGranted(on(world.chainId, contract), contract),
      await isGranted(on(world.chainId, contract), on(world.chainId, contract)),
    ]).toEqual([false, false, true, false, true]);
  });

  it('rule of type ALLOWLIST: takes a wallet of a user from an entry of any chain', async () => {
    expect([
      await isGranted(user, wallet),
      await isGranted(user, on(world.chainId, wallet)),
      await isGranted(on(world.chainId, wallet), wallet),
    ]).toEqual([true, true, true]);
  });

  it('rule of type ALLOWLIST: is undetermined where it is unknown whether the account is a contract', async () => {
    expect(await isGranted(on(DOWN_CHAIN, wallet), wallet)).toMatchObject({ retryable: true });
    expect(await isGranted(on(UNKNOWN_CHAIN, wallet), wallet)).toMatchObject({ retryable: false });
    expect(await isGranted(on(DOWN_CHAIN, wallet), on(DOWN_CHAIN, wallet))).toBe(true);
    expect(await isGranted(on(DOWN_CHAIN, wallet), CHECKSUMMED)).toBe(false);
  });

  it.each([
    ['no list', { type: 'ALLOWLIST' }, 'rules.0.accounts'],
    ['an empty list', list(), 'rules.0.accounts'],
    ['a user id', list(CHECKSUMMED, 'user_1'), 'rules.0.accounts.1'],
    ['a cluster of Solana as an EVM chain', list(on(8_000_000_000_103, CHECKSUMMED)), 'rules.0.accounts.0'],
    ['a wrong checksum', list(CHECKSUMMED.replace('A', 'a')), 'rules.0.accounts.0'],
    ['amounts', { ...list(CHECKSUMMED), maxToken: '0' }, 'rules.0.maxToken'],
    ['a chain', { ...list(CHECKSUMMED), chainId: 1 }, 'rules.0.chainId'],
    ['1,001 accounts', list(...Array.from({ length: 1_001 }, () => CHECKSUMMED)), 'rules.0.accounts'],
    ['a list on another type', { type: 'NATIVE', chainId: 1, accounts: [CHECKSUMMED] }, 'rules.0.accounts'],
  ])('rule of type ALLOWLIST: refuses %s, and names the field', async (_, rule, path) => {
    const { status, body } = await world.gating.check({ account: CHECKSUMMED, rules: [rule] });
    expect([status, body]).toMatchObject([400, { error: { details: { issues: [{ path }] } } }]);
  });

  it('rule of type ALLOWLIST: names at most 10,000 accounts in all rules of a request', async () => {
    const lists = (count: number) => Array.from({ length: count }, () => list(...full));
    const full = Array.from({ length: 1_000 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`);
    const check = (count: number) => world.gating.check({ account: full[7], rules: lists(count) });
    expect(await check(10)).toMatchObject({ status: 200, body: { roles: [{ granted: true }] } });
    expect(await check(11)).toMatchObject({
      status: 400,
      body: {
        error: { details: { issues: [{ path: 'rules', message: expect.stringContaining('11000') }] } },
      },
    });
  });
});

describe('a community with a rule of type ALLOWLIST', () => {
  it('community with a rule of type ALLOWLIST: shows members how many accounts it has, and administrators which', async () => {
    const rules = [{ roleId: 'friend', anyOf: [list(wallet, contract), { not: list(wallet) }] }];
    const community = await world.communities.create({
      ...{ roles: ['friend'], rules, members: [user], administrators: ['user_owner'] },
    });
    const read = async (path: string, id: string) => {
      const as = asUser(id, 'community:read');
      return (await world.gating.request('GET', `/communities/${community}${path}`, undefined, {}, as)).body;
    };
    const shown = { type: 'ALLOWLIST' };
    const hidden = [
      { roleId: 'friend', anyOf: [{ ...shown, accountCount: 2 }, { not: { ...shown, accountCount: 1 } }] },
    ];
    expect([await read('/rules', 'user_owner'), await read('/rules', user)]).toEqual([
      { rules },
      { rules: hidden },
    ]);
    expect([await read('', 'user_owner'), await read('', user)]).toMatchObject([
      { tpcs: rules },
      { tpcs: hidden },
    ]);
  });

  it('community with a rule of type ALLOWLIST: gives the role to members who are listed', async () => {
    const rules = [
      { roleId: 'friend', ...list(wallet) },
      { roleId: 'other', ...list(CHECKSUMMED) },
    ];
    const community = await world.communities.create({ roles: ['friend', 'other'], rules, members: [user] });
    expect((await world.roles(community, user, asUser(user))).body).toMatchObject({
      roles: [
        { id: 'friend', granted: true },
        { id: 'other', granted: false },
      ],
    });
  });
});
