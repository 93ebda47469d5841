import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import type { TokenGatingExplanation } from '@app/dto';
import {
  type Address,
  encodeAbiParameters,
  getAddress,
  type Hex,
  stringToHex,
  toFunctionSelector,
} from 'viem';
import { forwardTo } from '../support/hostile-node.js';
import type { DeployedContract } from '../support/local-chain.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { contractOn, eoa } from './wallet-book.js';

const SOLANA_ACCOUNT = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
const NOWHERE = `0x${'99'.repeat(20)}`;
const [user, client] = ['user_reads', 'client_reads'];
const lenient = { Prefer: 'handling=lenient' };
/** Kinds of CannedContract. */
const [ANSWER, REVERT, BURN] = [1, 2, 3];

let world: RolesWorld;
let membership: DeployedContract;
let canned: DeployedContract;
let wallets: Address[];

beforeAll(async () => {
  world = await RolesWorld.start({ RPC_CACHE: 'off', RPC_TIMEOUT_MS: '2000' });
  const { chain } = world.gated;
  membership = await chain.deploy('DemoMembership');
  canned = await chain.deploy('CannedContract');
  wallets = [(await world.wallet()) as Address, (await world.wallet()) as Address];
  world.book.set(user, ...wallets.map(eoa));
  world.book.grant(user, client);
  const [member = '0x', expired = '0x'] = wallets;
  await chain.send(membership, 'grantKey', [member, 4_102_444_800n]);
  await chain.send(membership, 'grantKey', [expired, 1n]);
});

afterAll(async () => {
  await world.stop();
});

const read = (text: string, fields: object = {}, contractAddress: string = canned.address) => ({
  type: 'CONTRACT_READ',
  chainId: world.chainId,
  contractAddress,
  function: text,
  ...(/^function \w+\(address/.test(text) && { arguments: ['$account'] }),
  ...fields,
});
const VALID_KEY = 'function getHasValidKey(address) view returns (bool)';
const hasKey = (fields: object = {}) => read(VALID_KEY, fields, membership.address);

/** Says what the contract does when a function is called. */
async function program(signature: string, kind: number, data: Hex = '0x'): Promise<void> {
  const selector = toFunctionSelector(`function ${signature}`);
  await world.gated.chain.send(canned, 'program', [selector, kind, data]);
}
const encode = (type: string, value: unknown) => encodeAbiParameters([{ type }], [value]);

type Verdict = boolean | { readonly name: string; readonly retryable: boolean };

/** Whether each rule is granted, or the error that it has. */
async function judge(account: string, rules: object[], as: Principal = asClient(client)): Promise<Verdict[]> {
  const named = rules.map((rule, index) => ({ ...rule, roleId: String(index) }));
  const { body, status } = await world.gating.check({ account, rules: named }, lenient, as);
  if (status !== 200) throw new Error(JSON.stringify(body));
  const { roles, errors = [] } = body as {
    roles: { granted: boolean }[];
    errors?: { rule: number; name: string; retryable: boolean }[];
  };
  return roles.map(({ granted }, index) => {
    const error = errors.find(({ rule }) => rule === index);
    if (!error) return granted;
    expect(granted).toBe(false);
    return { name: error.name, retryable: error.retryable };
  });
}

const failed = (name: string) => ({ name, retryable: false });

describe('a rule of type CONTRACT_READ', () => {
  it('rule of type CONTRACT_READ: grants by a key that has not expired, with all wallets of a user', async () => {
    const [member = '', expired = ''] = wallets;
    const rules = [hasKey({ equals: 'true' }), hasKey(), hasKey({ equals: 'false' })];
    expect(await judge(member, rules)).toEqual([true, true, false]);
    expect(await judge(expired, rules)).toEqual([false, false, true]);
    expect(await judge(await world.wallet(), rules)).toEqual([false, false, true]);
    // A single wallet is enough to have a key, and not enough to have none.
    expect(await judge(user, rules)).toEqual([true, true, false]);
  });

  it('rule of type CONTRACT_READ: sums nothing, and keeps every wallet below the maximum', async () => {
    const expires = (fields: object) =>
      read('function keyExpirationTimestampFor(address) view returns (uint256)', fields, membership.address);
    expect(
      await judge(user, [
        expires({ minToken: '4102444800' }),
        expires({ minToken: '4102444801' }),
        expires({ minToken: '1', maxToken: '4102444800' }),
        expires({ minToken: '1', maxToken: '4102444799' }),
      ]),
    ).toEqual([true, false, true, false]);
  });

  it('rule of type CONTRACT_READ: reads once what does not depend on the account', async () => {
    const [member = ''] = wallets;
    await program('owner()', ANSWER, encode('address', member));
    const before = world.gated.node.count('eth_call');
    const list = read(
      'function listMembers() view returns (address[])',
      { minToken: '2', maxToken: '2' },
      membership.address,
    );
    const owner = read('function owner() view returns (address)', { equals: '$account' });
    expect(await judge(user, [list, owner])).toEqual([true, true]);
    // A call for each function.
    expect(world.gated.node.count('eth_call') - before).toBe(2);
    expect(await judge(await world.wallet(), [list, owner])).toEqual([true, false]);
  });

  it.each<[string, Hex, object, object]>([
    ['int256', encode('int256', -5n), { minToken: '-5' }, { minToken: '-4' }],
    [
      'int256',
      encode('int256', -150n),
      { minToken: '-1.5', decimals: 2 },
      { minToken: '-1.49', decimals: 2 },
    ],
    [
      'uint256',
      encode('uint256', 10n ** 18n),
      { minToken: '1', decimals: 18 },
      { minToken: '1.1', decimals: 18 },
    ],
    ['uint64', encode('uint64', 255n), { equals: '0xff' }, { equals: '254' }],
    ['address', encode('address', NOWHERE), { equals: getAddress(NOWHERE) }, { equals: '$account' }],
    [
      'bytes32',
      encode('bytes32', `0x${'ab'.repeat(32)}`),
      { equals: `0x${'AB'.repeat(32)}` },
      { equals: `0x${'00'.repeat(32)}` },
    ],
    ['string[]', encode('string[]', ['a', 'b']), { equals: '2' }, { minToken: '3' }],
  ])('rule of type CONTRACT_READ: compares %s %s', async (returns, data, fits, differs) => {
    await program('value(address)', ANSWER, data);
    const text = `function value(address who) external view returns (${returns})`;
    expect(await judge(NOWHERE.replace('99', '98'), [read(text, fits), read(text, differs)])).toEqual([
      true,
      false,
    ]);
  });

  it('rule of type CONTRACT_READ: passes arguments of every kind', async () => {
    const text = 'function f(uint8, int256, bool, bytes4, bytes, string, address) view returns (bool)';
    await program('f(uint8,int256,bool,bytes4,bytes,string,address)', ANSWER, encode('bool', true));
    const args = ['255', '-1', 'true', '0x80ac58cd', '0x', 'é', '$account'];
    expect(await judge(user, [read(text, { arguments: args })])).toEqual([true]);
  });

  it('rule of type CONTRACT_READ: counts named accounts as other rules do, and no account of Solana', async () => {
    const [member = ''] = wallets;
    expect(await judge(`eip155:${world.chainId}:${member}`, [hasKey()])).toEqual([true]);
    const contract = world.token.address;
    const isNobody = hasKey({ equals: 'false' });
    expect(await judge(`eip155:${world.chainId}:${contract}`, [isNobody])).toEqual([true]);
    expect(await judge(`eip155:${world.chainId + 5}:${contract}`, [isNobody])).toEqual([false]);
    world.book.set('user_elsewhere', contractOn(world.chainId + 5, contract));
    world.book.grant('user_elsewhere', client);
    const once = read(
      'function listMembers() view returns (address[])',
      { minToken: '0' },
      membership.address,
    );
    expect(await judge('user_elsewhere', [isNobody, once])).toEqual([false, false]);
    expect(await judge(SOLANA_ACCOUNT, [isNobody, once])).toEqual([false, false]);
  });

  it.each<[string, object, string]>([
    [
      'a function that writes',
      { function: 'function f() returns (bool)', arguments: [] },
      'rules.1.function',
    ],
    ['a struct', { function: 'function f((uint256,bool)) view returns (bool)' }, 'rules.1.function'],
    ['a function of 513 characters', { function: `${VALID_KEY}${' '.repeat(512)}` }, 'rules.1.function'],
    [
      'the account as a number',
      { function: 'function f(uint256) view returns (bool)' },
      'rules.1.arguments.0',
    ],
    ['a precompiled contract', { contractAddress: `0x${'0'.repeat(39)}4` }, 'rules.1.contractAddress'],
    ['another equals', { equals: 'yes' }, 'rules.1.equals'],
  ])('rule of type CONTRACT_READ: refuses %s, and names the field', async (_, fields, path) => {
    const { status, body } = await world.gating.check({ account: user, rules: [hasKey(), hasKey(fields)] });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path }] } } },
    });
  });
});

describe('a hostile function', () => {
  const returns = (type: string) => `function value(address) view returns (${type})`;

  it.each<[string, string, number, Hex, string]>([
    ['reverts with a reason', 'bool', REVERT, '0x08c379a0', 'ContractRevertedError'],
    ['reverts without data', 'bool', REVERT, '0x', 'ContractRevertedError'],
    ['burns its gas', 'bool', BURN, '0x', 'ContractRevertedError'],
    ['answers nothing', 'bool', ANSWER, '0x', 'NoContractError'],
    ['answers half a word', 'bool', ANSWER, '0x01', 'MalformedAnswerError'],
    ['answers neither true nor false', 'bool', ANSWER, encode('uint256', 2n), 'MalformedAnswerError'],
    [
      'answers more than an address',
      'address',
      ANSWER,
      encode('uint256', 2n ** 160n),
      'MalformedAnswerError',
    ],
    ['answers a number beyond its type', 'uint8', ANSWER, encode('uint256', 256n), 'MalformedAnswerError'],
    [
      'answers an array that is longer than its data',
      'bool[]',
      ANSWER,
      `${encode('uint256', 32n)}${'f'.repeat(64)}`,
      'MalformedAnswerError',
    ],
    ['answers a text', 'uint256[]', ANSWER, stringToHex('yes, of course'), 'MalformedAnswerError'],
  ])(
    'T322: hostile function that %s: is an error of its rule alone, whatever the rule asks for',
    async (_, type, kind, data, name) => {
      await program('value(address)', kind, data);
      const rules =
        type === 'address'
          ? [
              read(returns(type), { equals: '$account' }),
              read(returns(type), { equals: `0x${'0'.repeat(40)}` }),
            ]
          : type === 'bool'
            ? [read(returns(type), { equals: 'true' }), read(returns(type), { equals: 'false' })]
            : [read(returns(type), { minToken: '0' }), read(returns(type), { equals: '0' })];
      expect(await judge(wallets[0] ?? '', [...rules, hasKey(), world.holds('0')])).toEqual([
        failed(name),
        failed(name),
        true,
        true,
      ]);
    },
  );

  it('T322: hostile function of no contract: is an error, not a denial', async () => {
    const rule = read('function f(address) view returns (bool)', { equals: 'false' }, NOWHERE);
    expect(await judge(wallets[0] ?? '', [rule])).toEqual([failed('NoContractError')]);
  });

  it('T322: hostile function that changes between calls: is judged by what it says now', async () => {
    const rule = read('function value(address) view returns (bool)');
    const verdicts: Verdict[] = [];
    for (const flag of [true, false, true]) {
      await program('value(address)', ANSWER, encode('bool', flag));
      verdicts.push(...(await judge(wallets[0] ?? '', [rule])));
    }
    expect(verdicts).toEqual([true, false, true]);
  });

  it('T322: hostile function that returns or reverts with 3 MB, burns all gas, or lies when it has little: is read nevertheless, or is an error', async () => {
    const { chain } = world.gated;
    const deploy = async (name: string, args: unknown[] = []) => (await chain.deploy(name, args)).address;
    const contracts = [
      await deploy('Flooder', [3_000_000n, false]),
      await deploy('Flooder', [3_000_000n, true]),
      await deploy('GasBurner'),
      await deploy('Liar'),
    ];
    const rules = contracts.map((contract) =>
      read('function f(address) view returns (bool)', { equals: 'true' }, contract),
    );
    // A second time, when the functions are known to be hostile.
    for (let round = 0; round < 2; round += 1) {
      const [long, longRevert, burnt, liar, honest] = await judge(user, [...rules, hasKey()]);
      for (const verdict of [long, longRevert, burnt])
        expect(verdict).toMatchObject({ name: expect.any(String) });
      expect([liar, honest]).toEqual([true, true]);
    }
  });
});

describe('explanations of CONTRACT_READ', () => {
  it('checkRoles with Prefer: explain: says what a function returns for each wallet, to callers who may see them', async () => {
    const rules = [
      hasKey({ equals: 'true' }),
      hasKey({ equals: 'false' }),
      read('function listMembers() view returns (bytes32[])', {}, membership.address),
    ];
    const explain = async (as: Principal) =>
      (
        (await world.gating.check({ account: user, rules }, { Prefer: 'explain' }, as)).body as {
          explanations: TokenGatingExplanation[];
        }
      ).explanations;
    const accounts = wallets.map((wallet) => getAddress(wallet));
    const shown = [
      { account: accounts[0], held: 'true' },
      { account: accounts[1], held: 'false' },
    ];
    const [key, none, list] = await explain(asClient(client));
    expect(key).toMatchObject({
      granted: true,
      code: 'value_equal',
      equals: 'true',
      unit: 'value',
      wallets: shown,
    });
    expect(key?.blocks).toHaveLength(1);
    expect(none).toMatchObject({ granted: false, code: 'value_different', equals: 'false', wallets: shown });
    expect(key).not.toHaveProperty('held');
    expect(list).toMatchObject({ granted: true, code: 'held_enough', min: '1', held: '2' });
    const hidden = await explain({ ...asClient('client_other'), ...asUser(user, 'token-gating') });
    expect(hidden.map(({ code }) => code)).toEqual(['value_equal', 'value_different', 'held_enough']);
    expect(JSON.stringify(hidden)).not.toMatch(/held"|wallets/);
  });
});

describe('a community with rules of type CONTRACT_READ', () => {
  it('community with a rule of type CONTRACT_READ: gives the role as the contract says, and keeps it while that cannot be read', async () => {
    await program('score(address)', ANSWER, encode('uint256', 3n));
    const score = read('function score(address) view returns (uint256)', { minToken: '3' });
    const administrator = asUser('user_owner', 'community:write');
    const id = await world.communities.create({
      roles: ['member', 'strong'],
      members: [user],
      administrators: ['user_owner'],
      clients: [client],
    });
    const rules = [
      { roleId: 'member', ...hasKey() },
      { roleId: 'strong', allOf: [score, { not: hasKey({ equals: 'false' }) }] },
    ];
    const put = (body: object) =>
      world.gating.request('PUT', `/communities/${id}/rules`, JSON.stringify(body), {}, administrator);
    expect(await put({ rules: [{ roleId: 'member', ...hasKey({ arguments: ['1'] }) }] })).toMatchObject({
      status: 400,
    });
    const answer = await put({ rules });
    expect(answer.status).toBe(200);
    const roles = async () => {
      const { body } = await world.roles(id, user, asClient(client));
      return (body as { roles: { granted: boolean }[] }).roles.map(({ granted }) => granted);
    };
    expect(await roles()).toEqual([true, true]);
    await program('score(address)', REVERT);
    expect(await roles()).toEqual([true, true]);
    await program('score(address)', ANSWER, encode('uint256', 2n));
    expect(await roles()).toEqual([true, false]);
  });
});

describe('functions of one tenant that take all that a call has', () => {
  const [attacker, victim] = ['owner_attacker', 'owner_victim'].map((ownerId): Principal => ({
    kind: 'caller',
    client: { id: `client_of_${ownerId}`, ownerId, plan: 'free' },
    scopes: ['token-gating'],
  }));
  const hostile = (contract: string) =>
    Array.from({ length: 50 }, (_, index) =>
      read(`function f${index}(address) view returns (bool)`, {}, contract),
    );
  let token: DeployedContract;
  let account: string;

  beforeEach(async () => {
    token = await world.gated.chain.deploy('HostileToken');
    account = await world.wallet();
  });

  const holdsToken = () => ({
    type: 'ERC20',
    chainId: world.chainId,
    contractAddress: token.address,
    minToken: '5',
  });

  /** Checks of the victim while the attacker's are made, as often as they are. */
  async function attackAndCheck(): Promise<{ attacks: Verdict[]; checks: Verdict[][] }> {
    const attacks: Verdict[] = [];
    const over = new AbortController();
    const attack = Promise.all(
      Array.from({ length: 3 }, async () =>
        attacks.push(...(await judge(account, hostile(token.address), attacker))),
      ),
    ).finally(() => {
      over.abort();
    });
    const checks: Verdict[][] = [];
    while (!over.signal.aborted)
      checks.push(await judge(account, [holdsToken(), hasKey({ equals: 'false' })], victim));
    await attack;
    checks.push(await judge(account, [holdsToken(), hasKey({ equals: 'false' })], victim));
    return { attacks, checks };
  }

  it("T323: 50 functions of one tenant that burn gas or return 3 MB: another tenant's rules are granted meanwhile, also about the same contract", async () => {
    const { attacks, checks } = await attackAndCheck();
    expect(attacks).toHaveLength(150);
    expect(attacks.every((verdict) => typeof verdict === 'object')).toBe(true);
    expect(checks).toEqual(checks.map(() => [true, true]));
    const metrics = await (await fetch(`${world.gating.app.managementUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /chain_quarantined_contracts\{chain="31337"\} 0\n|^(?![^]*chain_quarantined_contracts\{)/,
    );
  });

  it("T323: 50 functions of one tenant that no node ever answers: share no call with another tenant's rules, which are granted meanwhile", async () => {
    const { chain } = world.gated;
    const forward = forwardTo(chain.rpcUrl);
    const selectors = Array.from({ length: 50 }, (_, index) =>
      toFunctionSelector(`function f${index}(address)`).slice(2),
    );
    const shared: string[] = [];
    world.gated.onCall = (request, response) => {
      const text = JSON.stringify(request.params);
      const called = selectors.filter((selector) =>
        text.includes(`${selector}${'0'.repeat(24)}${account.slice(2)}`),
      );
      if (called.length === 0) return forward(request, response);
      if (called.length > 1 || text.includes('70a08231')) shared.push(text);
    };
    try {
      const { attacks, checks } = await attackAndCheck();
      expect(attacks.every((verdict) => typeof verdict === 'object' && verdict.retryable)).toBe(true);
      expect(checks.length).toBeGreaterThan(20);
      expect(checks).toEqual(checks.map(() => [true, true]));
      expect(shared).toEqual([]);
    } finally {
      world.gated.onCall = undefined;
    }
  });
});
