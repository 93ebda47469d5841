import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import type { TokenGatingExplanation } from '@app/dto';
import {
  type Address,
  decodeFunctionData,
  decodeFunctionResult as decodeResult,
  encodeFunctionResult,
  getAddress,
  type Hex,
  parseAbi,
} from 'viem';
import { DELEGATE_REGISTRY } from '../../libs/chain/src/reads/evm/delegate-registry-reads.js';
import { DelegateRegistry } from '../support/delegate-registry.js';
import { forwardTo, reply } from '../support/hostile-node.js';
import type { DeployedContract } from '../support/local-chain.js';
import { until } from '../support/until.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
const EXPLAIN = { Prefer: 'explain' };
const LENIENT = { Prefer: 'handling=lenient' };
const RIGHTS: Hex = `0x${'07'.repeat(32)}`;
const [client, victim] = ['client_delegations', 'client_victim'];

let world: RolesWorld;
let registry: DelegateRegistry;
let nfts: DeployedContract;
let multi: DeployedContract;
let users = 0;
let tokens = 100n;

beforeAll(async () => {
  world = await RolesWorld.start({ RPC_CACHE: 'off' });
  const { chain } = world.gated;
  registry = await DelegateRegistry.install(chain);
  nfts = await chain.deploy('DemoERC721', ['Demo', 'NFT']);
  multi = await chain.deploy('DemoERC1155');
});

afterEach(() => {
  world.gated.onCall = undefined;
});

afterAll(async () => {
  await world.stop();
});

const newUser = () => `user_delegations_${String(++users)}`;
const DELEGATED = { delegations: 'delegate.xyz' };
const holds = (minToken: string, fields: object = {}) => world.holds(minToken, { ...DELEGATED, ...fields });
const ofNfts = (fields: object = {}) => ({
  ...{ type: 'ERC721', chainId: world.chainId, contractAddress: nfts.address, ...DELEGATED },
  ...fields,
});

interface Answered {
  roles: { id: string; granted: boolean }[];
  errors?: { name: string; retryable: boolean }[];
  explanations?: TokenGatingExplanation[];
}

async function check(
  account: string,
  rules: object[],
  headers: Record<string, string> = LENIENT,
  as: Principal = asClient(client),
): Promise<Answered> {
  const { status, body } = await world.gating.check({ account, rules }, headers, as);
  expect([status, body]).toMatchObject([200, {}]);
  return body as Answered;
}

/** Whether the rule is granted, or the name of its error. */
async function judge(account: string, rule: object): Promise<boolean | string | undefined> {
  const { roles, errors } = await check(account, [rule]);
  return errors?.[0]?.name ?? roles[0]?.granted;
}

async function mintNft(to: string): Promise<bigint> {
  tokens += 1n;
  await world.gated.chain.mint(nfts, to as Address, tokens);
  return tokens;
}

describe('a rule with delegations', () => {
  it('rule with delegations: counts what a vault holds as long as the delegation lasts, and only with delegations', async () => {
    const [hot, vault] = [await world.wallet(WHOLE), await world.wallet(2n * WHOLE)];
    const rule = holds('3');
    expect(await judge(hot, rule)).toBe(false);
    await registry.delegateAll(vault, hot);
    expect([await judge(hot, rule), await judge(hot, holds('3.000000000000000001'))]).toEqual([true, false]);
    expect(await judge(hot, world.holds('3'))).toBe(false);
    await registry.delegateAll(vault, hot, { enable: false });
    expect(await judge(hot, rule)).toBe(false);
  });

  it('rule with delegations: counts delegations of everything and of its contract, not those with rights, of other contracts or of single tokens', async () => {
    const amounts = { min: '1' };
    const hotWith = async (delegate: (vault: string, hot: string) => Promise<void>) => {
      const [hot, vault] = [await world.wallet(), await world.wallet(WHOLE)];
      await delegate(vault, hot);
      return judge(hot, holds(amounts.min));
    };
    const { address } = world.token;
    expect([
      await hotWith((vault, hot) => registry.delegateAll(vault, hot)),
      await hotWith((vault, hot) => registry.delegateContract(vault, hot, address)),
      await hotWith((vault, hot) => registry.delegateAll(vault, hot, { rights: RIGHTS })),
      await hotWith((vault, hot) => registry.delegateContract(vault, hot, nfts.address)),
      await hotWith((vault, hot) => registry.delegateToken(vault, hot, address, 1n)),
    ]).toEqual([true, true, false, false, false]);
  });

  it('rule with delegations: does not follow the delegations that a vault has', async () => {
    const [hot, between, vault] = [await world.wallet(), await world.wallet(), await world.wallet(WHOLE)];
    await registry.delegateAll(vault, between);
    await registry.delegateAll(between, hot);
    expect([await judge(hot, holds('1')), await judge(between, holds('1'))]).toEqual([false, true]);
  });

  it('rule with delegations: counts NFTs, ids and tokens of an id that vaults hold', async () => {
    const [hot, vault] = [await world.wallet(), await world.wallet()];
    const [first, second] = [await mintNft(vault), await mintNft(hot)];
    await world.gated.chain.mint(multi, vault as Address, 7n, 5n);
    await registry.delegateContract(vault, hot, nfts.address);
    await registry.delegateContract(vault, hot, multi.address);
    const ids = (...list: bigint[]) => ofNfts({ tokenId: list.join(), minToken: String(list.length) });
    const ofMulti = (fields: object) => ({ ...ofNfts(fields), ...MULTI, contractAddress: multi.address });
    const MULTI = { type: 'ERC1155', tokenId: '7,8' };
    expect([
      await judge(hot, ofNfts({ minToken: '2' })),
      await judge(hot, ofNfts({ minToken: '3' })),
      await judge(hot, ids(first, second)),
      await judge(hot, ids(first, second, tokens + 1_000n)),
      await judge(hot, ofMulti({ minToken: '5' })),
      await judge(hot, ofMulti({ minToken: '6' })),
      await judge(hot, ofMulti({ minToken: '0', maxToken: '4' })),
    ]).toEqual([true, false, true, false, true, false, false]);
  });

  it('rule with delegations: reads the registry only where own holdings do not decide', async () => {
    const [hot, vault] = [await world.wallet(WHOLE), await world.wallet(WHOLE)];
    await registry.delegateAll(vault, hot);
    const asked: string[] = [];
    world.gated.onCall = async (request, response) => {
      if (JSON.stringify(request).includes(DELEGATE_REGISTRY.slice(2))) asked.push(request.method);
      await forwardTo(world.gated.chain.rpcUrl)(request, response);
    };
    expect(await judge(hot, holds('1'))).toBe(true);
    expect(await judge(hot, holds('0', { maxToken: '0.5' }))).toBe(false);
    expect(asked).toEqual([]);
    expect(await judge(hot, holds('1', { maxToken: '1' }))).toBe(false);
    expect(asked.length).toBeGreaterThan(0);
  });

  it('rule with delegations: goes by own holdings on a chain without the registry', async () => {
    const { client: node } = world.gated.chain;
    const code = (await node.getCode({ address: DELEGATE_REGISTRY })) ?? '0x';
    const hot = await world.wallet(WHOLE);
    await node.setCode({ address: DELEGATE_REGISTRY, bytecode: '0x' });
    try {
      // This one has never seen the registry of the chain.
      const other = await world.gating.another();
      const rules = [holds('1', { maxToken: '2', roleId: 'one' }), holds('2', { roleId: 'two' })];
      const { body } = await world.gating.check({ account: hot, rules }, LENIENT, asClient(client), other);
      expect((body as Answered).roles.map(({ granted }) => granted)).toEqual([true, false]);
    } finally {
      await node.setCode({ address: DELEGATE_REGISTRY, bytecode: code });
    }
  });

  it('rule with delegations: is undetermined where a registry that has answered is missing', async () => {
    const { client: node } = world.gated.chain;
    const code = (await node.getCode({ address: DELEGATE_REGISTRY })) ?? '0x';
    const hot = await world.wallet(WHOLE);
    expect(await judge(hot, holds('2'))).toBe(false);
    await node.setCode({ address: DELEGATE_REGISTRY, bytecode: '0x' });
    try {
      expect([await judge(hot, holds('1')), await judge(hot, holds('2'))]).toEqual([
        true,
        'NodeUnavailableError',
      ]);
    } finally {
      await node.setCode({ address: DELEGATE_REGISTRY, bytecode: code });
    }
  });

  it('rule with delegations: shows which vaults counted to a caller who named the address', async () => {
    const [hot, vault] = [await world.wallet(WHOLE), await world.wallet(2n * WHOLE)];
    await registry.delegateAll(vault, hot);
    const { explanations } = await check(hot, [holds('3'), holds('1')], EXPLAIN);
    expect(explanations).toMatchObject([
      { code: 'held_enough', held: '3' },
      { code: 'held_enough', held: '1' },
    ]);
    const account = getAddress(hot);
    expect(explanations?.map(({ wallets }) => wallets)).toEqual([
      [
        { account, held: '1' },
        { account: getAddress(vault), held: '2', isVault: true },
      ],
      [{ account, held: '1' }],
    ]);
  });

  it.each([
    ['another service', { delegations: 'warm.xyz' }, 'rules.0.delegations'],
    ['vaults without delegations', { delegations: '', vaults: [DELEGATE_REGISTRY] }, 'rules.0.vaults'],
    ['an empty list of vaults', { vaults: [] }, 'rules.0.vaults'],
    ['21 vaults', { vaults: Array<string>(21).fill(DELEGATE_REGISTRY) }, 'rules.0.vaults'],
    ['a vault that is no address', { vaults: ['vault.eth'] }, 'rules.0.vaults.0'],
    ['a type without delegations', { type: 'NATIVE', contractAddress: '' }, 'rules.0.delegations'],
    ['too many ids for 20 vaults', { type: 'ERC1155', tokenId: '1-1000' }, 'rules'],
  ])('rule with delegations: refuses %s, and names the field', async (_, fields, path) => {
    const rules = [holds('1', fields)];
    const { status, body } = await world.gating.check({ account: DELEGATE_REGISTRY, rules });
    expect([status, body]).toMatchObject([400, { error: { details: { issues: [{ path }] } } }]);
  });
});

describe('an inbox with 5,000 entries of a stranger', () => {
  let hot: string;
  let vault: string;

  beforeAll(async () => {
    [hot, vault] = [await world.wallet(WHOLE), await world.wallet(2n * WHOLE)];
    await registry.spam(hot, 5_000);
    await registry.delegateAll(vault, hot);
  }, 120_000);

  it('T330: checkRoles: goes by own holdings, says so, and counts vaults that the request names', async () => {
    expect([
      await judge(hot, holds('1')),
      await judge(hot, holds('1', { maxToken: '2' })),
      await judge(hot, holds('3')),
      await judge(hot, holds('3', { vaults: [vault] })),
      await judge(hot, holds('3.1', { vaults: [vault] })),
      await judge(hot, holds('3', { vaults: [await world.wallet(5n * WHOLE)] })),
    ]).toEqual([true, true, 'VaultsNotReadError', true, false, false]);
    const answer = await check(hot, [holds('3')], {});
    expect(answer).toMatchObject({
      roles: [{ granted: false }],
      errors: [{ name: 'VaultsNotReadError', retryable: false }],
    });
    const { explanations } = await check(hot, [holds('3')], EXPLAIN);
    expect(explanations).toMatchObject([{ granted: null, code: 'vaults_not_read' }]);
  });

  it('T331: checkRoles: reads no more of it than of an empty one, so that another tenant in the same batch loses nothing', async () => {
    const [other, otherVault] = [await world.wallet(WHOLE), await world.wallet(WHOLE)];
    await registry.delegateAll(otherVault, other);
    const { gated } = world;
    let longest = 0;
    gated.onCall = async (request, response) => {
      const end = response.end.bind(response);
      response.end = ((chunk: unknown, ...rest: []) => {
        if (typeof chunk === 'string' || Buffer.isBuffer(chunk)) longest = Math.max(longest, chunk.length);
        return end(chunk as string, ...rest);
      }) as typeof response.end;
      await forwardTo(gated.chain.rpcUrl)(request, response);
    };
    // All wait for the same request, so that their reads travel together.
    gated.hold();
    const first = judge(other, world.holds('1'));
    await until('a request is held back', () => gated.heldBack > 0);
    const spammed = Array.from({ length: 20 }, (_, at) => judge(hot, holds(String(3 + at / 100))));
    const victims = Array.from({ length: 20 }, async () =>
      check(other, [holds('2')], {}, asClient(victim)).then(({ roles }) => roles[0]?.granted),
    );
    gated.release();
    expect(await first).toBe(true);
    expect(new Set(await Promise.all(spammed))).toEqual(new Set(['VaultsNotReadError']));
    expect(new Set(await Promise.all(victims))).toEqual(new Set([true]));
    expect(longest).toBeLessThan(100_000);
    // Nothing was set apart: the next check of the victim is answered by batches, too.
    gated.onCall = undefined;
    const before = gated.node.count('eth_call');
    expect(await judge(other, holds('2'))).toBe(true);
    expect(gated.node.count('eth_call') - before).toBeLessThanOrEqual(5);
  });

  it('T332: getRoles: ends the role of a member who filled the inbox, and keeps that of one whose vault counted before', async () => {
    const [emptied, kept] = [newUser(), newUser()];
    const [own, second, cold] = [await world.wallet(WHOLE), await world.wallet(), await world.wallet(WHOLE)];
    world.book.set(emptied, eoa(own));
    world.book.set(kept, eoa(second));
    await registry.delegateAll(cold, second);
    const rules = [{ roleId: 'whale', ...holds('1') }];
    const id = await world.communities.create({ roles: ['whale'], rules, members: [emptied, kept] });
    const isGranted = async (userId: string) => {
      const { body } = await world.roles(id, userId, asUser(userId), LENIENT);
      return (body as Answered).roles[0]?.granted;
    };
    expect([await isGranted(emptied), await isGranted(kept)]).toEqual([true, true]);
    await registry.spam(own, 300);
    await registry.spam(second, 300);
    await transferAll(own);
    expect([await isGranted(emptied), await isGranted(kept)]).toEqual([false, true]);
    expect(await world.communities.assignments(id)).toEqual([`${kept} whale`]);
    await registry.delegateAll(cold, second, { enable: false });
    expect(await isGranted(kept)).toBe(false);
  });

  it('T332: getRoles: keeps the vault of a member whose own holdings decided meanwhile', async () => {
    const userId = newUser();
    const [hot, cold] = [await world.wallet(), await world.wallet(WHOLE)];
    world.book.set(userId, eoa(hot));
    await registry.delegateAll(cold, hot);
    const rules = [{ roleId: 'whale', ...holds('1') }];
    const id = await world.communities.create({ roles: ['whale'], rules, members: [userId] });
    const isGranted = async () =>
      ((await world.roles(id, userId, asUser(userId), LENIENT)).body as Answered).roles[0]?.granted;
    expect(await isGranted()).toBe(true);
    await world.gated.chain.mint(world.token, hot as Address, WHOLE);
    expect(await isGranted()).toBe(true);
    await transferAll(hot);
    await registry.spam(hot, 300);
    expect(await isGranted()).toBe(true);
  });

  it('T332: getRoles: grants no negation of a rule whose vaults are hidden', async () => {
    const [hidden, plain] = [newUser(), newUser()];
    world.book.set(hidden, eoa(hot));
    world.book.set(plain, eoa(await world.wallet()));
    const rules = [{ roleId: 'poor', not: holds('3') }];
    const id = await world.communities.create({ roles: ['poor'], rules, members: [hidden, plain] });
    const ask = async (userId: string) => (await world.roles(id, userId, asUser(userId))).body;
    expect(await ask(hidden)).toMatchObject({
      roles: [{ id: 'poor', granted: false }],
      errors: [{ name: 'VaultsNotReadError', retryable: false }],
    });
    expect(await ask(plain)).toEqual({ roles: [{ id: 'poor', granted: true }] });
  });

  it('T332: getRoles: judges hidden vaults beside a contract that cannot be read alike in any order', async () => {
    const member = newUser();
    world.book.set(member, eoa(hot));
    const { chainId } = world.gated.chain;
    const broken = { type: 'ERC20', chainId, contractAddress: `0x${'77'.repeat(20)}` };
    const parts = [holds('3'), broken];
    const rules = [
      { roleId: 'any', anyOf: parts },
      { roleId: 'any-reversed', anyOf: parts.toReversed() },
      { roleId: 'all', allOf: parts },
      { roleId: 'all-reversed', allOf: parts.toReversed() },
    ];
    const roles = rules.map(({ roleId }) => roleId);
    const id = await world.communities.create({ roles, rules, members: [member] });
    const { body } = await world.roles(id, member, asUser(member));
    expect(body).toMatchObject({
      roles: roles.map((role) => ({ id: role, granted: false })),
      errors: [
        { roleId: 'any', name: 'NoContractError' },
        { roleId: 'any-reversed', name: 'NoContractError' },
        { roleId: 'all', name: 'VaultsNotReadError' },
        { roleId: 'all-reversed', name: 'VaultsNotReadError' },
      ],
    });
  });
});

/** Sends all tokens away. */
async function transferAll(from: string): Promise<void> {
  const { client: node } = world.gated.chain;
  const account = from as Address;
  await node.setBalance({ address: account, value: WHOLE });
  await node.impersonateAccount({ address: account });
  const hash = await node.writeContract({
    ...world.token,
    ...{ functionName: 'transfer', args: [`0x${'00'.repeat(19)}99`, WHOLE], account, chain: node.chain },
  });
  await node.waitForTransactionReceipt({ hash });
}

describe('a registry whose answers a node changes', () => {
  const multicall = parseAbi([
    'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[])',
  ]);

  /** Replaces what the registry answers to a function. */
  function lie(selector: string, change: (data: Hex) => Hex): void {
    const { chain } = world.gated;
    world.gated.onCall = async ({ id, method, params }, response) => {
      const [{ data }] = params as [{ data: Hex }];
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(chain.rpcUrl, { method: 'POST', headers, body });
      const { result } = (await answer.json()) as { result: Hex };
      const { args } = decodeFunctionData({ abi: multicall, data });
      const results = decodeResults(result).map((one, at) => {
        const call = args[0][at];
        const isMeant =
          call?.target.toLowerCase() === DELEGATE_REGISTRY && call.callData.startsWith(selector);
        return isMeant ? { ...one, returnData: change(one.returnData) } : one;
      });
      const changed = encodeFunctionResult({ abi: multicall, functionName: 'aggregate3', result: results });
      reply(response, id, { result: changed });
    };
  }

  const decodeResults = (data: Hex) =>
    decodeResult({ abi: multicall, functionName: 'aggregate3', data }).map((one) => ({ ...one }));

  it.each<[string, string, (data: Hex) => Hex, boolean | string]>([
    ['names a vault twice', '0x4705ed38', repeatFirst, false],
    ['has an offset beyond its end', '0x4705ed38', (data) => replaceWord(data, 0, 2n ** 64n), 'Malformed'],
    ['says another length than was asked', '0x4705ed38', (data) => replaceWord(data, 1, 5_000n), 'Malformed'],
    ['names more than an address', '0x4705ed38', (data) => replaceWord(data, 4, 2n ** 200n), 'Malformed'],
    ['names another delegate', '0x4705ed38', (data) => replaceWord(data, 3, 7n), false],
    ['says a length beyond any inbox', '0x61451a30', (data) => replaceWord(data, 2, 2n ** 255n), 'Malformed'],
    ['has an empty entry', '0x61451a30', (data) => replaceWord(data, 3, 0n), 'Malformed'],
    ['is cut off', '0x61451a30', (data) => data.slice(0, 200) as Hex, 'Malformed'],
  ])('T333: checkRoles: grants nothing where its answer %s', async (_, selector, change, expected) => {
    const [hot, vault, other] = [await world.wallet(), await world.wallet(WHOLE), await world.wallet(WHOLE)];
    await registry.delegateAll(vault, hot);
    await registry.delegateAll(other, hot);
    expect(await judge(hot, holds('2'))).toBe(true);
    lie(selector, change);
    const verdict = await judge(hot, holds('2'));
    if (typeof expected === 'string') expect(verdict).toEqual(expect.stringContaining(expected));
    else expect(verdict).toBe(expected);
  });

  it('T333: checkRoles: is undetermined while the registry cannot be read, unless own holdings decide', async () => {
    const hot = await world.wallet(WHOLE);
    const { gated } = world;
    gated.onCall = async (request, response) => {
      if (!JSON.stringify(request).includes(DELEGATE_REGISTRY.slice(2)))
        return forwardTo(gated.chain.rpcUrl)(request, response);
      reply(response, request.id, { error: { code: -32_005, message: 'limit exceeded' } });
    };
    expect(await judge(hot, holds('1'))).toBe(true);
    expect(await judge(hot, holds('2'))).toBe('NodeUnavailableError');
    expect(await judge(hot, holds('1', { maxToken: '2' }))).toBe('NodeUnavailableError');
  });
});

const replaceWord = (data: Hex, at: number, value: bigint): Hex => {
  const start = 2 + at * 64;
  return `0x${data.slice(2, start)}${value.toString(16).padStart(64, '0')}${data.slice(start + 64)}`;
};

/** The first of two delegations stands in the place of the second one, too. */
function repeatFirst(data: Hex): Hex {
  const [head, entry] = [data.slice(0, 2 + 2 * 64), data.slice(2 + 2 * 64, 2 + 9 * 64)];
  return `${head}${entry}${data.length > head.length + entry.length ? entry : ''}` as Hex;
}

describe('a vault in a community', () => {
  async function twoMembers(rules = [{ roleId: 'whale', ...holds('1') }]) {
    const [first, second] = [newUser(), newUser()];
    const [a, b, vault] = [await world.wallet(), await world.wallet(), await world.wallet(WHOLE)];
    world.book.set(first, eoa(a));
    world.book.set(second, eoa(b));
    await registry.delegateAll(vault, a);
    await registry.delegateAll(vault, b);
    const id = await world.communities.create({
      ...{ roles: rules.map(({ roleId }) => roleId), rules, members: [first, second] },
      administrators: ['user_administrator'],
    });
    const isGranted = async (userId: string) => {
      const { body } = await world.roles(id, userId, asUser(userId), LENIENT);
      return (body as Answered).roles[0]?.granted;
    };
    return { id, first, second, a, b, vault, isGranted };
  }
  const vaultsOf = (id: string) =>
    world.communities.query<{ user_id: string; vault: string }>(
      'SELECT user_id, vault FROM token_gating.delegated_vaults WHERE community_id = $1',
      [id],
    );

  it('T334: getRoles: counts a vault for the member for whom it counted first, on every instance', async () => {
    const { id, first, second, vault, isGranted } = await twoMembers();
    expect([await isGranted(first), await isGranted(second)]).toEqual([true, false]);
    expect(await vaultsOf(id)).toEqual([{ user_id: first, vault }]);
    const other = await world.gating.another();
    const path = `/access-control/${id}/${second}/roles`;
    const { body } = await world.gating.request('GET', path, undefined, LENIENT, asUser(second), other);
    expect((body as Answered).roles[0]?.granted).toBe(false);
    expect([await isGranted(first), await isGranted(second)]).toEqual([true, false]);
  });

  it('T334: getRoles: grants one of two members who ask at the same time', async () => {
    const { id, first, second, isGranted } = await twoMembers();
    const answers = await Promise.all([first, second].map(isGranted));
    expect(answers.toSorted()).toEqual([false, true]);
    expect(await vaultsOf(id)).toHaveLength(1);
  });

  it('T334: getRoles: counts the vault for another member once its delegation has ended, or its member has left', async () => {
    const ended = await twoMembers();
    expect(await ended.isGranted(ended.first)).toBe(true);
    await registry.delegateAll(ended.vault, ended.a, { enable: false });
    expect([await ended.isGranted(ended.first), await ended.isGranted(ended.second)]).toEqual([false, true]);
    const left = await twoMembers();
    expect(await left.isGranted(left.first)).toBe(true);
    const path = `/communities/${left.id}/members/me`;
    const as = asUser(left.first, 'community:write');
    const { status } = await world.gating.request('DELETE', path, undefined, {}, as);
    expect(status).toBeLessThan(300);
    expect(await vaultsOf(left.id)).toEqual([]);
    expect(await left.isGranted(left.second)).toBe(true);
  });

  it('T334: member check: grants both of two roles whose rules count the same vault', async () => {
    const rules = [1, 0.5].map((minToken, at) => ({ roleId: `role_${at}`, ...holds(String(minToken)) }));
    const id = await world.communities.create({ roles: ['role_0', 'role_1'], rules });
    const joined = Array.from({ length: 3 }, newUser);
    for (const userId of joined) {
      const [hot, vault] = [await world.wallet(), await world.wallet(WHOLE)];
      world.book.set(userId, eoa(hot));
      await registry.delegateAll(vault, hot);
    }
    // Claims of one evaluation overlap: none ends before the others have begun.
    const { communities } = world;
    await communities.query(`
      CREATE FUNCTION wait_before_insert() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END $$`);
    await communities.query(`
      CREATE TRIGGER wait BEFORE INSERT ON token_gating.delegated_vaults
      FOR EACH ROW EXECUTE FUNCTION wait_before_insert()`);
    try {
      await Promise.all(joined.map((userId) => world.join(id, userId)));
      await until('every member is checked', async () => {
        const granted = new Set((await communities.assignments(id)).map((one) => one.split(' ')[0]));
        return joined.every((userId) => granted.has(userId));
      });
    } finally {
      await communities.query('DROP FUNCTION wait_before_insert CASCADE');
    }
    expect((await communities.assignments(id)).toSorted()).toEqual(
      joined.flatMap((userId) => [`${userId} role_0`, `${userId} role_1`]).toSorted(),
    );
  });

  it('T334: getRoles: counts it for another member also where a rule without delegations cannot be read', async () => {
    const absent = { roleId: 'absent', ...world.holds('1', { contractAddress: `0x${'ab'.repeat(20)}` }) };
    const { first, second, vault, a, isGranted } = await twoMembers([
      { roleId: 'whale', ...holds('1') },
      absent,
    ]);
    expect(await isGranted(first)).toBe(true);
    await registry.delegateAll(vault, a, { enable: false });
    expect([await isGranted(first), await isGranted(second)]).toEqual([false, true]);
  });

  it('T334: getRoles: keeps the vault of a member while the node does not answer', async () => {
    const { first, second, isGranted } = await twoMembers();
    expect(await isGranted(first)).toBe(true);
    const repair = world.breakNode();
    expect(await isGranted(first)).toBe(true);
    repair();
    expect([await isGranted(second), await isGranted(first)]).toEqual([false, true]);
  });

  it('T335: getRoles: names no vault to those who run the community, and the own vault to the member', async () => {
    const { id, first, vault } = await twoMembers();
    const explain = async (as: Principal) =>
      JSON.stringify((await world.roles(id, first, as, EXPLAIN)).body).toLowerCase();
    const member = { ...asClient('client_1'), ...asUser(first, 'user:wallet:read') };
    const administrator = { ...asClient('client_1'), ...asUser('user_administrator', 'user:wallet:read') };
    expect(await explain(member)).toContain(vault);
    for (const text of [await explain(administrator), await explain(asUser(first))]) {
      expect(text).toContain('held_enough');
      for (const secret of [vault, '"held"', '"wallets"']) expect(text).not.toContain(secret);
    }
  });

  it('rule of a community: names no vaults, because it is for all members', async () => {
    const id = await world.communities.create({ roles: ['whale'], administrators: ['user_owner'] });
    const rules = [{ roleId: 'whale', ...holds('1', { vaults: [DELEGATE_REGISTRY] }) }];
    const path = `/communities/${id}/rules`;
    const as = asUser('user_owner', 'community:write');
    const answer = await world.gating.request('PUT', path, JSON.stringify({ rules }), {}, as);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining('vaults')]);
  });
});
