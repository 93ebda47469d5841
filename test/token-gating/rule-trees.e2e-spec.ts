import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TokenGatingExplanation } from '@app/dto';
import { getAddress } from 'viem';
import type { DeployedContract } from '../support/local-chain.js';
import { until } from '../support/until.js';
import type { Answer } from './gating-app.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { contractOn, eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
const SOLANA_ACCOUNT = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
const nowhere = `0x${'99'.repeat(20)}`;
const owner = 'user_owner';

let world: RolesWorld;
let nfts: DeployedContract;
let holder: string;

beforeAll(async () => {
  world = await RolesWorld.start({ RPC_CACHE: 'off' });
  nfts = await world.gated.chain.deploy('DemoERC721', ['Demo', 'NFT']);
  holder = await world.wallet(2n * WHOLE);
  await world.gated.chain.mint(nfts, holder as `0x${string}`, 7n);
  world.book.set(owner, eoa(holder));
  world.book.set('user_elsewhere', contractOn(world.chainId + 1, await world.wallet(WHOLE)));
});

afterAll(async () => {
  await world.stop();
});

const nft = (more: object = {}) => ({
  ...{ type: 'ERC721', chainId: world.chainId, contractAddress: nfts.address },
  ...more,
});
const broken = () => ({ ...world.holds('1'), contractAddress: nowhere });
const atLeast = (count: number, ...of: object[]) => ({ atLeast: { count, of } });

/** A user by a credential of a client application. */
const through = (userId: string) => ({ ...asClient('c'), ...asUser(userId) });

const check = (account: string, rules: object[], headers: Record<string, string> = {}, as = asClient('c')) =>
  world.gating.check({ account, rules }, headers, as);

/** Whether the account gets the role of each tree alone. */
async function granted(account: string, trees: object[], as = asClient('c')): Promise<unknown> {
  const rules = trees.map((tree, index) => ({ roleId: String(index), ...tree }));
  const { body } = await check(account, rules, {}, as);
  return (body as { roles?: { granted: boolean }[] }).roles?.map((role) => role.granted) ?? body;
}

const issuesOf = ({ status, body }: Answer) => {
  expect(status).toBe(400);
  const { error } = body as { error: { details: { code: string; issues: { path: string }[] } } };
  return { code: error.details.code, paths: error.details.issues.map(({ path }) => path) };
};

describe('checkRoles with trees', () => {
  it('checkRoles with trees: grants what holdings satisfy', async () => {
    const [yes, no] = [world.holds('2'), world.holds('3')];
    const trees: [object, boolean][] = [
      [{ allOf: [yes, nft({ tokenId: '7' })] }, true],
      [{ allOf: [yes, no] }, false],
      [{ anyOf: [no, nft()] }, true],
      [{ not: no }, true],
      [{ not: yes }, false],
      [atLeast(2, yes, no, nft()), true],
      [atLeast(2, yes, no, no), false],
      [{ allOf: [atLeast(1, no, { not: { anyOf: [no, nft({ tokenId: '8' })] } }), yes] }, true],
    ];
    expect(
      await granted(
        holder,
        trees.map(([tree]) => tree),
      ),
    ).toEqual(trees.map(([, wanted]) => wanted));
  });

  it('checkRoles with trees: merges trees and rules of one role, in the order of their first mention', async () => {
    const rules = [
      { roleId: 'a', not: nft() },
      world.holds('3', { roleId: 'b' }),
      { roleId: 'b', anyOf: [nft()] },
      nft({ roleId: 'a' }),
      { allOf: [nft()] },
    ];
    expect((await check(holder, rules)).body).toEqual({
      roles: [
        { id: 'a', granted: true },
        { id: 'b', granted: true },
        { id: '001', granted: true },
      ],
    });
  });

  it('T312: checkRoles with trees: never grants by a rule that cannot be read, and names it', async () => {
    const answer = await check(holder, [
      { roleId: 'negated', not: broken() },
      { roleId: 'decided', anyOf: [nft(), broken()] },
      { roleId: 'denied', allOf: [world.holds('3'), broken()] },
      { roleId: 'open', allOf: [nft(), atLeast(2, nft(), { not: broken() }, broken())] },
    ]);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        roles: [
          { id: 'negated', granted: false },
          { id: 'decided', granted: true },
          { id: 'denied', granted: false },
          { id: 'open', granted: false },
        ],
        errors: [
          { roleId: 'negated', rule: 0, path: 'not', name: 'NoContractError', retryable: false },
          { roleId: 'open', rule: 3, path: 'allOf.1.atLeast.of.1.not', retryable: false },
          { roleId: 'open', rule: 3, path: 'allOf.1.atLeast.of.2', retryable: false },
        ],
      },
    });
    const repair = world.breakNode();
    const trees = [{ roleId: 'away', anyOf: [{ not: nft() }, world.holds('1')] }];
    const [strict, lenient] = [
      await check(holder, trees),
      await check(holder, trees, { Prefer: 'handling=lenient' }),
    ];
    repair();
    const errors = [
      { roleId: 'away', rule: 0, path: 'anyOf.0.not', retryable: true },
      { roleId: 'away', rule: 0, path: 'anyOf.1', retryable: true },
    ];
    expect(strict).toMatchObject({ status: 503, body: { error: { details: { errors } } } });
    expect(lenient).toMatchObject({ status: 200, body: { roles: [{ granted: false }], errors } });
  });

  it('T313: checkRoles with trees: grants nothing by `not` of a rule that does not apply to the account', async () => {
    const poor = world.holds('1000');
    const trees = [
      { not: poor },
      { not: { not: poor } },
      { not: { allOf: [poor, nft({ tokenId: '9' })] } },
      { anyOf: [{ not: { anyOf: [poor, nft({ tokenId: '9' })] } }] },
      { allOf: [{ not: poor }, { type: 'ALLOWLIST', accounts: [SOLANA_ACCOUNT] }] },
      { not: { type: 'POAP', chainId: world.chainId, eventId: '1' } },
    ];
    const nothing = trees.map(() => false);
    expect(await granted(SOLANA_ACCOUNT, trees)).toEqual(nothing);
    // A contract of another chain.
    expect(await granted(`eip155:${world.chainId + 5}:${getAddress(nfts.address)}`, trees)).toEqual(nothing);
    expect(await granted('user_elsewhere', trees, through('user_elsewhere'))).toEqual(nothing);
    expect(await granted(owner, trees.slice(0, 4), through(owner))).toEqual([true, false, true, true]);
    // A list applies to everybody: as a list of those who are kept out it works for every family.
    const others = { not: { type: 'ALLOWLIST', accounts: [holder] } };
    expect(await granted(SOLANA_ACCOUNT, [others])).toEqual([true]);
    expect(await granted(holder, [others])).toEqual([false]);
  });

  it('checkRoles with trees: explains each rule by its path', async () => {
    const rules = [
      nft({ roleId: 'plain' }),
      { roleId: 'tree', anyOf: [{ not: nft({ tokenId: '7' }) }, atLeast(2, nft(), world.holds('3'))] },
    ];
    const { body } = await check(holder, rules, { Prefer: 'explain' });
    const { roles, explanations } = body as { roles: object[]; explanations: TokenGatingExplanation[] };
    expect(roles).toEqual([
      { id: 'plain', granted: true },
      { id: 'tree', granted: false },
    ]);
    expect(explanations).toMatchObject([
      { rule: 0, roleId: 'plain', granted: true, code: 'held_enough' },
      { rule: 1, path: 'anyOf.0.not', roleId: 'tree', granted: true, code: 'held_enough', held: '1' },
      { rule: 1, path: 'anyOf.1.atLeast.of.0', granted: true, code: 'held_enough' },
      { rule: 1, path: 'anyOf.1.atLeast.of.1', granted: false, code: 'below_minimum', held: '2' },
    ]);
    expect(explanations[0]).not.toHaveProperty('path');
    const foreign = await check(SOLANA_ACCOUNT, rules.slice(1), { Prefer: 'explain' });
    expect(
      (foreign.body as { explanations: { code: string }[] }).explanations.map(({ code }) => code),
    ).toEqual(Array(3).fill('wrong_chain_family'));
  });

  it('T312: checkRoles with trees: answers asynchronously as it does at once', async () => {
    const rules = [
      { roleId: 'yes', allOf: [nft(), { not: world.holds('3') }] },
      { roleId: 'open', not: broken() },
    ];
    const accepted = await world.gating.check({ account: holder, rules, async: true });
    const { requestId } = accepted.body as { requestId: string };
    let answer: Answer | undefined;
    await until('the check is finished', async () => {
      answer = await world.gating.request('GET', `/access-control/check-roles/responses/${requestId}`);
      return answer.status === 200;
    });
    expect(answer?.body).toMatchObject({
      roles: [
        { id: 'yes', granted: true },
        { id: 'open', granted: false },
      ],
      errors: [{ roleId: 'open', rule: 1, path: 'not', retryable: false }],
    });
  });

  it('checkRoles with trees: applies the limits of a request to the rules of all trees', async () => {
    const ids = (count: number) => nft({ tokenId: `1-${count}` });
    const lists = (count: number) =>
      Array.from({ length: count }, (_, index) => nft({ tokenId: `https://example.com/${index}` }));
    const refused: [object[], string, string[]][] = [
      [[{ allOf: [ids(9_999), { not: ids(9_999) }] }, ids(100)], 'rule_read_limit_exceeded', ['rules']],
      [[{ anyOf: lists(21) }], 'token_list_limit_exceeded', ['rules']],
      [
        [{ anyOf: [nft(), { not: nft({ tokenId: 'http://10.0.0.1/' }) }] }],
        'input_invalid',
        ['rules.0.anyOf.1.not.tokenId'],
      ],
      [
        [nft(), { not: { type: 'OPEN_SEA', collectionName: 'x' } }],
        'rule_not_supported',
        ['rules.1.not.type'],
      ],
      [
        [nft(), { allOf: [nft(), atLeast(1, { type: 'NATIVE', chainId: 424_242 })] }],
        'chain_not_supported',
        ['rules.1.allOf.1.atLeast.of.0.chainId'],
      ],
      [
        [{ allOf: Array<object>(250).fill(nft()), roleId: 'a' }, { anyOf: Array<object>(251).fill(nft()) }],
        'input_invalid',
        ['rules'],
      ],
      [[{ anyOf: [nft(), nft({ roleId: 'x' })] }], 'input_invalid', ['rules.0.anyOf.1.roleId']],
      [[atLeast(1.5, nft(), nft())], 'input_invalid', ['rules.0.atLeast.count']],
    ];
    for (const [rules, code, paths] of refused)
      expect(issuesOf(await check(holder, rules))).toEqual({ code, paths });
    const many = { anyOf: Array.from({ length: 500 }, (_, index) => nft({ tokenId: String(index + 1) })) };
    expect(await granted(holder, [many])).toEqual([true]);
  });

  it('T312: checkRoles with trees: refuses ten thousand levels by HTTP, and goes on', async () => {
    const rule = JSON.stringify(nft());
    const deep = (levels: number) => `${'{"not":'.repeat(levels)}${rule}${'}'.repeat(levels)}`;
    for (const levels of [8, 30, 10_000]) {
      const body = `{"account":"${holder}","rules":[${deep(levels)}]}`;
      const answer = await world.gating.request('POST', '/access-control/check-roles', body);
      expect([levels, answer.status]).toEqual([levels, 400]);
    }
    expect(await granted(holder, [{ not: world.holds('3') }])).toEqual([true]);
  });
});

describe('rules of a community with atLeast', () => {
  it('getRoles: grants atLeast, and leaves `not` of a chain without a wallet granted', async () => {
    const rules = [
      { roleId: 'collector', ...atLeast(2, nft(), world.holds('2'), world.holds('3')) },
      { roleId: 'open', anyOf: [world.holds('3'), { not: broken() }] },
      { roleId: 'foreign', not: world.holds('1000') },
    ];
    const roles = ['collector', 'open', 'foreign'];
    const id = await world.communities.create({ roles, rules, members: [owner, 'user_elsewhere'] });
    expect((await world.roles(id, owner, asUser(owner))).body).toMatchObject({
      roles: [
        { id: 'collector', granted: true },
        { id: 'open', granted: false },
        { id: 'foreign', granted: true },
      ],
      errors: [{ roleId: 'open', rule: 1, name: 'NoContractError', retryable: false }],
    });
    const elsewhere = await world.roles(id, 'user_elsewhere', asUser('user_elsewhere'));
    expect(elsewhere.body).toMatchObject({
      roles: [{ granted: false }, { granted: true }, { granted: true }],
    });
  });
});
