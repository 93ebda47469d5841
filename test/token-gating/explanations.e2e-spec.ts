import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import type { Scope, TokenGatingExplanation } from '@app/dto';
import { getAddress } from 'viem';
import type { DeployedContract } from '../support/local-chain.js';
import type { Answer } from './gating-app.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { contractOn, eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
const SOLANA_ACCOUNT = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
const EXPLAIN = { Prefer: 'explain' };
const [owner, trusted] = ['user_owner', 'client_trusted'];

let world: RolesWorld;
let nfts: DeployedContract;
let multi: DeployedContract;
let holder: string;
let wallets: string[];

beforeAll(async () => {
  world = await RolesWorld.start({ RPC_CACHE: 'off' });
  const { chain } = world.gated;
  nfts = await chain.deploy('DemoERC721', ['Demo', 'NFT']);
  multi = await chain.deploy('DemoERC1155');
  holder = await world.wallet(WHOLE / 2n);
  for (const id of [1n, 2n]) await chain.mint(nfts, holder as `0x${string}`, id);
  await chain.mint(multi, holder as `0x${string}`, 7n, 5n);
  wallets = [await world.wallet(WHOLE / 4n), await world.wallet(WHOLE / 2n)];
  const elsewhere = await world.wallet(WHOLE);
  world.book.set(owner, ...wallets.map(eoa), contractOn(world.chainId + 1, elsewhere));
  world.book.set('user_without', contractOn(world.chainId + 1, elsewhere));
  world.book.grant(owner, trusted);
});

afterAll(async () => {
  await world.stop();
});

const ofNfts = (more: object = {}) => ({
  ...{ type: 'ERC721', chainId: world.chainId, contractAddress: nfts.address },
  ...more,
});
const ofMulti = (more: object) => ({
  ...{ type: 'ERC1155', chainId: world.chainId, contractAddress: multi.address },
  ...more,
});
const explanationsOf = ({ body }: Answer) =>
  (body as { explanations: TokenGatingExplanation[] }).explanations;
const codesOf = (answer: Answer) => explanationsOf(answer).map(({ code }) => code);

/** A user by a credential of a client application. */
const through = (userId: string, scope: Scope = 'user:wallet:read'): Principal => ({
  ...asClient('client_1'),
  ...asUser(userId, scope),
});

const check = (account: string, rules: object[], as: Principal, headers: Record<string, string> = EXPLAIN) =>
  world.gating.check({ account, rules }, headers, as);

describe('roles of a member with Prefer: explain', () => {
  const rules = () => [
    world.holds('0.75', { roleId: 'whale' }),
    {
      roleId: 'collector',
      allOf: [
        world.holds('0.1'),
        { not: ofNfts({ tokenId: '1' }) },
        { anyOf: [ofNfts(), ofMulti({ tokenId: '7' })] },
      ],
    },
  ];
  const create = () =>
    world.communities.create({
      ...{ roles: ['whale', 'collector'], rules: rules() },
      ...{ members: [owner], administrators: ['user_administrator'] },
    });

  it('getRoles: explains each rule of a tree to the member, with their wallets', async () => {
    const id = await create();
    // The first request stores a role, the second one changes nothing.
    for (let request = 0; request < 2; request += 1) {
      const answer = await world.roles(id, owner, through(owner), EXPLAIN);
      expect(answer).toMatchObject({
        status: 200,
        body: {
          roles: [
            { id: 'whale', granted: true },
            { id: 'collector', granted: false },
          ],
        },
      });
      expect(explanationsOf(answer)).toMatchObject([
        { rule: 0, roleId: 'whale', granted: true, code: 'held_enough', held: '0.75' },
        { rule: 1, path: 'allOf.0', roleId: 'collector', granted: true, held: '0.75' },
        { rule: 1, path: 'allOf.1.not', granted: false, code: 'no_token_id' },
        { rule: 1, path: 'allOf.2.anyOf.0', granted: false, code: 'below_minimum', held: '0' },
        { rule: 1, path: 'allOf.2.anyOf.1', granted: false, code: 'no_token_id' },
      ]);
      expect(explanationsOf(answer)[0]).not.toHaveProperty('path');
      expect(explanationsOf(answer)[0]?.wallets).toEqual([
        { account: getAddress(wallets[0] ?? ''), held: '0.25' },
        { account: getAddress(wallets[1] ?? ''), held: '0.5' },
      ]);
      expect(answer.headers.get('Cache-Control')).toBe('private, no-store');
      expect(answer.headers.get('Preference-Applied')).toBe('explain');
      expect(answer.headers.get('ETag')).toBeNull();
    }
    const plain = await world.roles(id, owner, through(owner));
    expect(Object.keys(plain.body as object)).toEqual(['roles']);
    expect(plain.headers.get('Vary')).toBeNull();
  });

  it('T311: getRoles: names no wallet and no amount to those who run the community, nor by a token without the scope', async () => {
    const id = await create();
    const callers = [through('user_administrator'), through(owner, 'token-gating')];
    for (const as of callers) {
      const answer = await world.roles(id, owner, as, EXPLAIN);
      expect(explanationsOf(answer)).toMatchObject([{ code: 'held_enough' }, {}, {}, {}, {}]);
      const text = JSON.stringify(answer.body).toLowerCase();
      for (const secret of [...wallets, '"held"', '"wallets"']) expect(text).not.toContain(secret);
    }
  });
});

describe('checkRoles with Prefer: explain', () => {
  it('checkRoles with Prefer: explain: says of each rule what the account holds, at which block', async () => {
    const rules = [
      world.holds('0.5', { roleId: 'whale', maxToken: '2' }),
      world.holds('0.6', { roleId: 'whale' }),
      world.holds('0', { maxToken: '0.25' }),
      ofNfts({ tokenId: '1,2' }),
      ofNfts({ tokenId: '3-9' }),
      ofNfts({ minToken: '3' }),
      ofMulti({ tokenId: '7', minToken: '5' }),
      ofMulti({ tokenId: '8' }),
    ];
    const answer = await check(holder, rules, asClient('client_1'));
    expect(answer.status).toBe(200);
    const account = getAddress(holder);
    const of = (held: string) => ({ held, wallets: [{ account, held }] });
    expect(explanationsOf(answer)).toMatchObject([
      { rule: 0, roleId: 'whale', granted: true, code: 'held_enough', min: '0.5', max: '2', ...of('0.5') },
      {
        rule: 1,
        roleId: 'whale',
        granted: false,
        code: 'below_minimum',
        min: '0.6',
        max: null,
        ...of('0.5'),
      },
      {
        rule: 2,
        roleId: '001',
        granted: false,
        code: 'above_maximum',
        max: '0.25',
        unit: 'token',
        ...of('0.5'),
      },
      { rule: 3, granted: true, code: 'held_enough', unit: 'nft', ...of('2') },
      { rule: 4, granted: false, code: 'no_token_id', ...of('0') },
      { rule: 5, granted: false, code: 'below_minimum', ...of('2') },
      { rule: 6, granted: true, code: 'held_enough', ...of('5') },
      { rule: 7, granted: false, code: 'no_token_id', ...of('0') },
    ]);
    for (const { blocks } of explanationsOf(answer))
      expect(blocks).toEqual([{ chainId: world.chainId, number: expect.any(Number) }]);
  });

  it('checkRoles with Prefer: explain: has the headers of an answer for its caller alone, and roles as without', async () => {
    const rules = [world.holds('0.5', { roleId: 'whale' })];
    const plain = await check(holder, rules, asClient('client_1'), {});
    expect(plain.body).toEqual({ roles: [{ id: 'whale', granted: true }] });
    for (const name of ['Preference-Applied', 'Vary', 'Cache-Control'])
      expect(plain.headers.get(name)).toBeNull();
    const { body, headers } = await check(holder, rules, asClient('client_1'), {
      Prefer: 'handling=lenient, explain',
    });
    expect(Object.keys(body as object)).toEqual(['roles', 'explanations']);
    expect(body).toMatchObject(plain.body as object);
    expect(headers.get('Preference-Applied')).toBe('handling=lenient, explain');
    expect(headers.get('Vary')).toBe('Prefer');
    expect(headers.get('Cache-Control')).toBe('private, no-store');
    expect(headers.get('ETag')).toBeNull();
  });

  it('checkRoles with Prefer: explain: says why no holding counts', async () => {
    const rules = [world.holds('0', {}), ofNfts({ minToken: '0' })];
    const client = asClient('client_1');
    const solana = await check(SOLANA_ACCOUNT, rules, client);
    expect(codesOf(solana)).toEqual(['wrong_chain_family', 'wrong_chain_family']);
    const named = await check(`eip155:${world.chainId + 5}:${getAddress(nfts.address)}`, rules, client);
    expect(codesOf(named)).toEqual(['contract_of_other_chain', 'contract_of_other_chain']);
    const without = await check('user_without', rules, through('user_without'));
    expect(codesOf(without)).toEqual(['no_wallet', 'no_wallet']);
    expect(JSON.stringify([solana.body, named.body, without.body])).not.toContain('"held"');
  });

  it('checkRoles with Prefer: explain: tells what cannot be read from what a retry may read', async () => {
    const nowhere = `0x${'99'.repeat(20)}`;
    const permanent = await check(holder, [{ ...world.holds('1'), contractAddress: nowhere }], asClient('c'));
    expect(explanationsOf(permanent)).toMatchObject([{ granted: null, code: 'not_readable' }]);
    expect(explanationsOf(permanent)[0]).not.toHaveProperty('held');
    const bringBack = world.breakIdentity();
    const away = await check(owner, [world.holds('1')], through(owner), {
      Prefer: 'explain, handling=lenient',
    });
    const strict = await check(owner, [world.holds('1')], through(owner));
    bringBack();
    expect(away).toMatchObject({ status: 200, body: { errors: [{ retryable: true }] } });
    expect(explanationsOf(away)).toEqual([
      { rule: 0, roleId: '001', granted: null, code: 'read_failed', min: '1', max: null, unit: 'token' },
    ]);
    expect(strict.status).toBe(503);
    expect(strict.headers.get('Preference-Applied')).toBeNull();
  });

  it.each<[string, Principal]>([
    ['the user with the scope for wallets', through(owner)],
    ['a client application that the user lets read wallets', asClient(trusted)],
  ])('checkRoles with Prefer: explain: names the wallets of a user to %s', async (_, as) => {
    const rules = [world.holds('0.75'), ofNfts({ tokenId: '1' })];
    const [first, second] = explanationsOf(await check(owner, rules, as));
    const [quarter = '', half = ''] = wallets.map((wallet) => getAddress(wallet));
    expect(first).toMatchObject({ code: 'held_enough', held: '0.75' });
    expect(first?.wallets).toEqual([
      { account: quarter, held: '0.25' },
      { account: half, held: '0.5' },
    ]);
    expect(second).toMatchObject({ code: 'no_token_id', held: '0', wallets: [{ held: '0' }, { held: '0' }] });
  });

  it('checkRoles with Prefer: explain: names no wallet and no amount to an application that has a token of the user without that scope', async () => {
    const answer = await check(
      owner,
      [world.holds('0.75'), world.holds('1')],
      through(owner, 'token-gating'),
    );
    expect(explanationsOf(answer)).toMatchObject([
      { granted: true, code: 'held_enough', min: '0.75' },
      { granted: false, code: 'below_minimum', min: '1' },
    ]);
    const text = JSON.stringify(answer.body).toLowerCase();
    for (const secret of [...wallets, '"held"', '"wallets"']) expect(text).not.toContain(secret);
  });
});
