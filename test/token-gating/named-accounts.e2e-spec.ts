import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { deploySafe } from '../../scripts/chain/deploy-safe.mjs';
import { root } from '../../scripts/build/project.mjs';
import { forwardTo, HostileNode, type NodeBehaviour, reply } from '../support/hostile-node.js';
import { type DeployedContract, deployerKey, LocalChain } from '../support/local-chain.js';
import { OpenSeaStandIn } from '../support/open-sea.js';
import { receiver } from '../support/receiver.js';
import { until } from '../support/until.js';
import { GatingApp } from './gating-app.js';

const HOME = 31_337;
const AWAY = 31_338;
const ETHEREUM = 1;
const GNOSIS = 100;
/** A chain that the deployment does not know. */
const UNKNOWN = 999_999;
const POAP_CONTRACT: Address = '0x22C1f6050E56d2876009903609a2cC3fEf83B415';
const EVENT = 4_242n;
/** A document with a trait, which needs no server. */
const RED = 'data:application/json,{"color":"red"}';

const accounts = {
  /** A contract on the home chain and on Gnosis, with nothing at its address elsewhere. */
  wallet: '0x1110000000000000000000000000000000000001',
  /** A contract on the other chain only. */
  awayWallet: '0x1110000000000000000000000000000000000002',
  /** An externally owned account. */
  eoa: '0x1110000000000000000000000000000000000003',
  /** An externally owned account that delegates by EIP-7702, on both chains. */
  delegated: '0x1110000000000000000000000000000000000004',
  /** Without any holdings. */
  empty: '0x1110000000000000000000000000000000000005',
} as const;
type Name = keyof typeof accounts;

let chains: Map<number, LocalChain>;
let nodes: Map<number, HostileNode>;
/** What answers eth_getCode instead of the chain, by chain. */
const onCode = new Map<number, NodeBehaviour>();
let rules: Map<number, Record<string, object>>;
let openSea: OpenSeaStandIn;
let gating: GatingApp;

const on = <T>(map: ReadonlyMap<number, T>, chainId: number): T => {
  const found = map.get(chainId);
  if (!found) throw new Error(`Nothing for chain ${chainId}`);
  return found;
};
const named = (chainId: number, name: Name) => `eip155:${chainId}:${accounts[name]}`;

beforeAll(async () => {
  const started = await Promise.all([HOME, AWAY, ETHEREUM, GNOSIS].map((id) => LocalChain.start(id)));
  chains = new Map(started.map((chain) => [chain.chainId, chain]));
  nodes = new Map(
    await Promise.all(
      started.map(async (chain) => {
        const forward = forwardTo(chain.rpcUrl);
        const node = await HostileNode.start((request, response) => {
          const behaviour = request.method === 'eth_getCode' ? onCode.get(chain.chainId) : undefined;
          return (behaviour ?? forward)(request, response);
        });
        return [chain.chainId, node] as const;
      }),
    ),
  );
  rules = new Map([
    [HOME, await deployHoldings(on(chains, HOME))],
    [AWAY, await deployHoldings(on(chains, AWAY))],
  ]);
  await deployPoaps(on(chains, ETHEREUM));
  await deployPoaps(on(chains, GNOSIS));
  await setCodes();
  openSea = await OpenSeaStandIn.start(10);
  gating = await GatingApp.start({
    ...openSea.environment,
    OPENSEA_REQUESTS_PER_MINUTE: '60000',
    RPC_CACHE: 'off',
    SWEEP_INTERVAL_MS: '200',
    CHAINS: JSON.stringify([{ id: AWAY, name: 'Away', rpcUrls: [on(nodes, AWAY).url], blockTime: 0 }]),
    ...Object.fromEntries([HOME, ETHEREUM, GNOSIS].map((id) => [`RPC_URL_${id}`, on(nodes, id).url])),
    RPC_TIMEOUT_MS: '1000',
  });
}, 120_000);

afterEach(() => {
  onCode.clear();
});

afterAll(async () => {
  await gating.stop();
  await openSea.stop();
  for (const node of nodes.values()) await node.stop();
  for (const chain of chains.values()) await chain.stop();
});

/** What each account but the empty one holds, as a rule of each type. */
async function deployHoldings(chain: LocalChain): Promise<Record<string, object>> {
  const holders = Object.values(accounts).filter((address) => address !== accounts.empty);
  const token = await chain.deploy('DemoERC20', ['Demo', 'DMO', 0, holders[0], 0n]);
  const nft = await chain.deploy('DemoERC721', ['Demo', 'NFT']);
  const multi = await chain.deploy('MetadataERC1155', [RED]);
  const stakes = await chain.deploy('DemoERC900', [token.address]);
  for (const [index, holder] of holders.entries()) {
    await chain.mint(token, holder, 5n);
    await chain.mint(nft, holder, BigInt(index));
    await chain.mint(multi, holder, 7n, 3n);
    await chain.send(stakes, 'stakeFor', [holder, 4n, '0x']);
    await chain.setNativeBalance(holder, 10n ** 18n);
  }
  const from = privateKeyToAddress(deployerKey);
  const safe = await deploySafe({ rpcUrl: chain.rpcUrl, root, from, owners: [...holders] });
  const { chainId } = chain;
  const of = ({ address }: DeployedContract) => ({ chainId, contractAddress: address });
  return {
    ERC20: { type: 'ERC20', ...of(token) },
    'ERC20 with a maximum': { type: 'ERC20', ...of(token), maxToken: '9' },
    ERC721: { type: 'ERC721', ...of(nft) },
    'ERC721 with ids': { type: 'ERC721', ...of(nft), tokenId: '0-9' },
    ERC1155: { type: 'ERC1155', ...of(multi), tokenId: '7' },
    'ERC1155 with metadata': {
      ...{ type: 'ERC1155', ...of(multi), tokenId: '7' },
      ...{ requiresMetadata: true, query: 'color = "red"' },
    },
    NATIVE: { type: 'NATIVE', chainId },
    Safe: { asset: `eip155:${chainId}/safe:${safe}` },
    staking: { type: 'staking', ...of(stakes), collectionName: 'erc900' },
  };
}

async function deployPoaps(chain: LocalChain): Promise<void> {
  const { address, abi } = await chain.deploy('DemoPoap');
  const bytecode = await chain.client.getCode({ address });
  await chain.client.setCode({ address: POAP_CONTRACT, bytecode: bytecode ?? '0x' });
  for (const holder of [accounts.wallet, accounts.eoa])
    await chain.mint({ address: POAP_CONTRACT, abi }, holder, EVENT);
}

async function setCodes(): Promise<void> {
  const contract = `0x${'5b'.repeat(3_000)}` as const;
  const designator = `0xef0100${'42'.repeat(20)}` as const;
  const setCode = (chainId: number, address: Address, bytecode: typeof contract) =>
    on(chains, chainId).client.setCode({ address, bytecode });
  for (const id of [HOME, GNOSIS]) await setCode(id, accounts.wallet, contract);
  await setCode(AWAY, accounts.awayWallet, contract);
  for (const id of [HOME, AWAY]) await setCode(id, accounts.delegated, designator);
}

const ruleTypes = [
  'ERC20',
  'ERC20 with a maximum',
  'ERC721',
  'ERC721 with ids',
  'ERC1155',
  'ERC1155 with metadata',
  'NATIVE',
  'Safe',
  'staking',
];
const rulesOf = (chainId: number) => ruleTypes.map((type) => on(rules, chainId)[type] ?? {});
const all = (granted: boolean) => ruleTypes.map(() => granted);

const refuse: NodeBehaviour = ({ id }, response) => {
  reply(response, id, { error: { code: -32_601, message: 'the method eth_getCode is not available' } });
};
const hideCode: NodeBehaviour = ({ id }, response) => {
  reply(response, id, { result: '0x' });
};

describe('a CAIP-10 account of check-roles', () => {
  it.each<[string, number, Name, boolean, boolean]>([
    ['a contract on the named chain only', HOME, 'wallet', true, false],
    ['a contract, named on the chain where nothing is', AWAY, 'wallet', false, true],
    ['a contract of the other chain, named on that', AWAY, 'awayWallet', false, true],
    ['a contract of the other chain, named on the wrong one', HOME, 'awayWallet', true, false],
    ['a contract, named on a chain that the deployment does not know', UNKNOWN, 'wallet', false, true],
    ['an externally owned account', HOME, 'eoa', true, true],
    ['an account that delegates by EIP-7702', HOME, 'delegated', true, true],
    ['an externally owned account of an unknown chain', UNKNOWN, 'eoa', true, true],
  ])('checkRoles: %s counts where it is the same account', async (_, chainId, name, home, away) => {
    const account = named(chainId, name);
    expect(await gating.granted(account, ...rulesOf(HOME))).toEqual(all(home));
    expect(await gating.granted(account, ...rulesOf(AWAY))).toEqual(all(away));
  });

  it('checkRoles: a plain address counts on every chain, and no code is read', async () => {
    onCode.set(HOME, refuse).set(AWAY, refuse);
    expect(await gating.granted(accounts.wallet, ...rulesOf(HOME))).toEqual(all(true));
    expect(await gating.granted(accounts.wallet, ...rulesOf(AWAY))).toEqual(all(true));
  });

  it('checkRoles: rules of both chains are judged each by its own', async () => {
    const mixed = [...rulesOf(HOME), ...rulesOf(AWAY)];
    const verdicts = await gating.granted(named(HOME, 'wallet'), ...mixed);
    expect(verdicts).toEqual([...all(true), ...all(false)]);
  });

  it('checkRoles: a rule whose chain does not tell the code is undetermined, the others are not', async () => {
    onCode.set(AWAY, refuse);
    const account = named(HOME, 'eoa');
    const { status, body } = await gating.check({
      account,
      rules: [
        { ...on(rules, HOME)['ERC20'], roleId: 'home' },
        { ...on(rules, AWAY)['ERC20'], roleId: 'away' },
        { ...on(rules, AWAY)['ERC20'], roleId: 'too much', minToken: '6' },
      ],
    });
    expect({ status, body }).toMatchObject({
      status: 503,
      body: {
        error: {
          details: {
            code: 'roles_unavailable',
            roles: [
              { id: 'home', granted: true },
              { id: 'away', granted: false },
              { id: 'too much', granted: false },
            ],
            errors: [{ roleId: 'away', rule: 1, name: 'NodeUnavailableError', retryable: true }],
          },
        },
      },
    });
    expect(JSON.stringify(body)).toContain(`whether the account is a contract on chain ${AWAY} is not known`);
  });

  it('checkRoles: an unreadable named chain leaves its own rules alone and makes those of others undetermined', async () => {
    onCode.set(HOME, refuse);
    expect(await gating.granted(named(HOME, 'eoa'), ...rulesOf(HOME))).toEqual(all(true));
    const { status, body } = await gating.check({ account: named(HOME, 'eoa'), rules: rulesOf(AWAY) });
    expect(status).toBe(503);
    expect(JSON.stringify(body)).toContain(`whether the account is a contract on chain ${HOME} is not known`);
    // The code on the rule's chain decides alone.
    expect(await gating.granted(named(HOME, 'awayWallet'), ...rulesOf(AWAY))).toEqual(all(false));
    // Nothing that counts could change these verdicts.
    expect(await gating.granted(named(HOME, 'empty'), ...rulesOf(AWAY))).toEqual(all(false));
  });

  it('T313: checkRoles: `not` of a rule is not granted where the account does not count, and undetermined where that is unknown', async () => {
    const away = on(rules, AWAY)['ERC20'];
    const poap = { type: 'POAP', eventId: '1', chainId: ETHEREUM };
    const trees = [{ not: away }, { not: { anyOf: [poap, away] } }];
    expect(await gating.granted(named(HOME, 'empty'), ...trees)).toEqual([true, true]);
    expect(await gating.granted(named(HOME, 'wallet'), ...trees)).toEqual([false, false]);
    onCode.set(AWAY, refuse);
    // The rule alone is not granted, whatever the code is; what it means to `not` depends on it.
    expect(await gating.granted(named(HOME, 'empty'), { anyOf: [away] })).toEqual([false]);
    const { status, body } = await gating.check(
      { account: named(HOME, 'empty'), rules: [{ not: away }] },
      { Prefer: 'handling=lenient, explain' },
    );
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        roles: [{ granted: false }],
        errors: [{ rule: 0, path: 'not', name: 'NodeUnavailableError', retryable: true }],
        explanations: [{ rule: 0, path: 'not', granted: null, code: 'read_failed' }],
      },
    });
  });

  it('checkRoles: the code is one more entry of the batch that reads the holdings', async () => {
    const node = on(nodes, AWAY);
    const before = node.batches.length;
    const calls = node.count('eth_call');
    await gating.granted(named(HOME, 'wallet'), ...rulesOf(AWAY).slice(0, 3));
    expect(node.batches.slice(before)).toEqual([['eth_call', 'eth_getCode']]);
    expect(node.count('eth_call')).toBe(calls);
  });

  it('checkRoles: asynchronous checks and callbacks judge alike', async () => {
    const bodies: unknown[] = [];
    const callbacks = await receiver((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        bodies.push(JSON.parse(text));
        response.end();
      });
    });
    try {
      const { body } = await gating.check({
        account: named(HOME, 'wallet'),
        rules: [...rulesOf(HOME), ...rulesOf(AWAY)].map((rule, index) => ({
          ...rule,
          roleId: String(index),
        })),
        async: true,
        callbackUrl: `http://127.0.0.1:${callbacks.port}/callback`,
      });
      const { requestId } = body as { requestId: string };
      const poll = () => gating.request('GET', `/access-control/check-roles/responses/${requestId}`);
      let answer = await poll();
      await until('the check is finished', async () => (answer = await poll()).status === 200);
      const { roles, errors } = answer.body as { roles: { granted: boolean }[]; errors: unknown[] };
      expect(errors).toEqual([]);
      expect(roles.map(({ granted }) => granted)).toEqual([...all(true), ...all(false)]);
      await until('the callback came', () => Promise.resolve(bodies.length > 0));
      expect(bodies[0]).toMatchObject({ roles });
    } finally {
      await callbacks.stop();
    }
  });
});

describe('rules of several chains', () => {
  const poap = { type: 'POAP', eventId: String(EVENT) };

  it('checkRoles: POAPs count on the chains where the account does', async () => {
    const atLeast = (minToken: string) => ({ ...poap, minToken });
    // A contract on Gnosis: what the address holds on Ethereum is not the wallet's.
    const ofWallet = await gating.granted(named(GNOSIS, 'wallet'), atLeast('1'), {
      ...poap,
      chainId: ETHEREUM,
    });
    expect(ofWallet).toEqual([true, false]);
    expect(await gating.granted(named(ETHEREUM, 'wallet'), atLeast('1'))).toEqual([true]);
    expect(await gating.granted(named(HOME, 'wallet'), atLeast('1'))).toEqual([false]);
    // Event ids are equal on both chains, token ids are too.
    expect(await gating.granted(named(GNOSIS, 'eoa'), atLeast('1'), { ...poap, chainId: ETHEREUM })).toEqual([
      true,
      true,
    ]);
  });

  it('checkRoles: a chain of POAPs that does not tell the code matters only if it could change the verdict', async () => {
    onCode.set(ETHEREUM, refuse);
    expect(await gating.granted(named(GNOSIS, 'eoa'), poap)).toEqual([true]);
    expect((await gating.check({ account: named(ETHEREUM, 'eoa'), rules: [poap] })).status).toBe(200);
    onCode.set(GNOSIS, refuse);
    expect((await gating.check({ account: named(HOME, 'eoa'), rules: [poap] })).status).toBe(503);
    expect(await gating.granted(named(HOME, 'empty'), poap)).toEqual([false]);
  });

  it('checkRoles: items of OpenSea count on the chains where the account does', async () => {
    const address = `0x${'cc'.repeat(20)}`;
    const owned = (chain: string, name: Name) => ({
      chain,
      owner: accounts[name],
      identifier: `1${chain}${name}`,
    });
    openSea.add(
      'on-ethereum',
      [{ chain: 'ethereum', address }],
      [owned('ethereum', 'wallet'), owned('ethereum', 'eoa')],
    );
    openSea.add('on-base', [{ chain: 'base', address }], [owned('base', 'eoa')]);
    const rule = (collectionName: string) => ({ type: 'OPEN_SEA', collectionName });
    expect(await gating.granted(accounts.wallet, rule('on-ethereum'))).toEqual([true]);
    expect(await gating.granted(named(ETHEREUM, 'wallet'), rule('on-ethereum'))).toEqual([true]);
    expect(await gating.granted(named(HOME, 'wallet'), rule('on-ethereum'))).toEqual([false]);
    expect(await gating.granted(named(HOME, 'eoa'), rule('on-ethereum'))).toEqual([true]);
    // Base has no node in this deployment: nobody can tell whether the address is a contract there.
    const { status, body } = await gating.check({ account: named(HOME, 'eoa'), rules: [rule('on-base')] });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { roles: [{ granted: false }], errors: [{ name: 'UnknownChainError', retryable: false }] },
    });
    expect(await gating.granted(accounts.eoa, rule('on-base'))).toEqual([true]);
    onCode.set(ETHEREUM, refuse);
    expect((await gating.check({ account: named(HOME, 'eoa'), rules: [rule('on-ethereum')] })).status).toBe(
      503,
    );
  });
});

describe('assets of a CAIP-10 account', () => {
  const assets = (chainId: number) => {
    const at = (type: string) => (on(rules, chainId)[type] as { contractAddress: string }).contractAddress;
    return [
      `eip155:${chainId}/slip44:60`,
      `eip155:${chainId}/erc20:${at('ERC20')}`,
      `eip155:${chainId}/erc721:${at('ERC721')}`,
      `eip155:${chainId}/erc721:${at('ERC721')}/0`,
      `eip155:${chainId}/erc1155:${at('ERC1155')}/7`,
    ];
  };
  const get = (path: string, account: string, ids: readonly string[], headers = {}) =>
    gating.request(
      'GET',
      `/${path}/${account}?${ids.map((id) => `assets=${encodeURIComponent(id)}`).join('&')}`,
      undefined,
      headers,
    );
  const owned = async (account: string, ids: readonly string[]) => {
    const { body } = await get('asset-ownership', account, ids);
    return (body as { assets: { owner: boolean }[] }).assets.map(({ owner }) => owner);
  };
  const balances = async (account: string, ids: readonly string[]) => {
    const { body } = await get('asset-list', account, ids);
    return (body as { balance: string }[]).map(({ balance }) => balance);
  };

  it('asset-ownership: a contract account owns nothing on another chain', async () => {
    expect(await owned(named(HOME, 'wallet'), assets(HOME))).toEqual([true, true, true, true, true]);
    expect(await owned(named(HOME, 'wallet'), assets(AWAY))).toEqual([false, false, false, false, false]);
    expect(await owned(accounts.wallet, assets(AWAY))).toEqual([true, true, true, true, true]);
  });

  it('asset-list: a contract account has nothing on another chain', async () => {
    const held = ['1', '5', '1', '1', '3'];
    expect(await balances(named(HOME, 'wallet'), assets(HOME))).toEqual(held);
    expect(await balances(named(HOME, 'wallet'), assets(AWAY))).toEqual(['0', '0', '0', '0', '0']);
    expect(await balances(accounts.wallet, assets(AWAY))).toEqual(held);
    expect(await balances(named(UNKNOWN, 'wallet'), assets(AWAY))).toEqual(held);
  });

  it('asset-list, asset-ownership: assets of a chain that does not tell the code are errors, unless there are none', async () => {
    onCode.set(AWAY, refuse);
    const mixed = [...assets(HOME).slice(0, 1), ...assets(AWAY).slice(0, 2)];
    const lenient = { Prefer: 'handling=lenient' };
    for (const path of ['asset-list', 'asset-ownership'])
      expect((await get(path, named(HOME, 'eoa'), mixed)).status).toBe(503);
    const list = await get('asset-list', named(HOME, 'eoa'), mixed, lenient);
    expect(list.body).toMatchObject([
      { balance: '1' },
      { errors: [{ name: 'NodeUnavailableError', retryable: true }] },
      { errors: [{ name: 'NodeUnavailableError', retryable: true }] },
    ]);
    expect((list.body as object[])[1]).not.toHaveProperty('balance');
    const ownership = await get('asset-ownership', named(HOME, 'eoa'), mixed, lenient);
    expect(ownership.body).toMatchObject({ assets: [{ owner: true }], errors: [{ index: 1 }, { index: 2 }] });
    expect(await balances(named(HOME, 'empty'), assets(AWAY))).toEqual(['0', '0', '0', '0', '0']);
  });
});

describe('a node that hides the code of a contract', () => {
  it('checkRoles: grants nothing where the other chain knows the contract', async () => {
    onCode.set(AWAY, hideCode);
    expect(await gating.granted(named(HOME, 'wallet'), ...rulesOf(AWAY))).toEqual(all(false));
  });
});
