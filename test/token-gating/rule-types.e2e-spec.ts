import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { deploySafe } from '../../scripts/chain/deploy-safe.mjs';
import { root } from '../../scripts/build/project.mjs';
import { type DeployedContract, deployerKey, LocalChain } from '../support/local-chain.js';
import { type Intercept, OpenSeaStandIn } from '../support/open-sea.js';
import { GatingApp } from './gating-app.js';

const OWNERS = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`];
const STRANGER = `0x${'b1'.repeat(20)}`;
const SOLANA_ACCOUNT = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
/** A chain whose node is down. */
const DOWN_CHAIN = 1;
const DECIMALS = 6;
const PAGE_SIZE = 3;

let chain: LocalChain;
let gating: GatingApp;
let openSea: OpenSeaStandIn;
let token: DeployedContract;
let pool: DeployedContract;

beforeAll(async () => {
  chain = await LocalChain.start();
  openSea = await OpenSeaStandIn.start(PAGE_SIZE);
  token = await chain.deploy('DemoERC20', ['Demo', 'DMO', DECIMALS, OWNERS[0], 0n]);
  pool = await chain.deploy('DemoERC900', [token.address]);
  const adapter = {
    chainId: chain.chainId,
    contractAddress: pool.address,
    function: 'function stakesOf(address user) view returns (uint256[])',
  };
  gating = await GatingApp.start({
    ...openSea.environment,
    OPENSEA_REQUESTS_PER_MINUTE: '60000',
    STAKING_ADAPTERS: JSON.stringify([
      { ...adapter, collectionName: 'sum-of-stakes', result: 'sum' },
      { ...adapter, collectionName: 'number-of-stakes', result: 'length' },
    ]),
    RPC_CACHE: 'off',
    [`RPC_URL_${chain.chainId}`]: chain.rpcUrl,
    [`RPC_URL_${DOWN_CHAIN}`]: 'http://127.0.0.1:9',
  });
});

afterAll(async () => {
  await gating.stop();
  await openSea.stop();
  await chain.stop();
});

describe('a rule about the owners of a Safe', () => {
  let safe: string;

  beforeAll(async () => {
    safe = await deploySafe({
      rpcUrl: chain.rpcUrl,
      root,
      from: privateKeyToAddress(deployerKey),
      owners: OWNERS,
    });
  });

  const forms = () => [
    { scheme: 'gnosis', asset: `eip155:${chain.chainId}/safe:${safe}` },
    { scheme: 'gnosis', asset: `evm:${chain.chainId}/gnosis:${safe}` },
    { asset: `evm:${chain.chainId}/gnosis:${safe}` },
    { asset: `eip155:${chain.chainId}/safe:${safe}` },
    { scheme: 'gnosis', chainId: chain.chainId, contractAddress: safe },
    { type: 'gnosis', chainId: chain.chainId, contractAddress: safe, minToken: '5', maxToken: '2' },
  ];

  it('rule about the owners of a Safe: is granted to each owner and to no other, in each form', async () => {
    for (const owner of OWNERS)
      expect(await gating.granted(owner, ...forms())).toEqual(forms().map(() => true));
    expect(await gating.granted(STRANGER, ...forms())).toEqual(forms().map(() => false));
    const [form = {}] = forms();
    expect(await gating.explained(STRANGER, form)).toEqual(['below_minimum 0']);
    expect(await gating.explained(OWNERS[0] ?? '', form)).toEqual(['held_enough 1']);
  });

  it('rule about the owners of a Safe: is not granted to the Safe itself, nor to the sentinel of its list of owners', async () => {
    for (const account of [safe, `0x${'0'.repeat(39)}1`, `0x${'0'.repeat(40)}`])
      expect(await gating.granted(account, ...forms().slice(0, 1))).toEqual([false]);
  });

  it('rule about the owners of a Safe: is an error beside the roles where there is no Safe', async () => {
    const garbage = await chain.deploy('Garbage', [`0x${'ff'.repeat(32)}`]);
    const rules = [STRANGER, garbage.address].map((address) => ({
      asset: `eip155:${chain.chainId}/safe:${address}`,
    }));
    const { status, body } = await gating.check({ account: OWNERS[0], rules });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      roles: [{ granted: false }],
      errors: [
        { name: 'NoContractError', retryable: false },
        { name: 'MalformedAnswerError', retryable: false },
      ],
    });
  });

  it('rule about the owners of a Safe: is undetermined, not denied, while the node is down', async () => {
    const rules = [{ asset: `eip155:${DOWN_CHAIN}/safe:${safe}` }];
    expect((await gating.check({ account: STRANGER, rules })).status).toBe(503);
  });

  it.each<[string, (safe: string) => object]>([
    ['scheme', (asset) => ({ scheme: 'erc20', asset })],
    ['scheme', (asset) => ({ scheme: 'gnosis', type: 'ERC20', asset })],
    ['asset', (asset) => ({ type: 'ERC20', asset })],
    ['asset', (asset) => ({ scheme: 'gnosis', asset: `${asset}/1` })],
    ['asset', () => ({ scheme: 'gnosis', asset: `eip155:1/erc20:${STRANGER}` })],
    ['tokenId', (asset) => ({ asset, tokenId: '1' })],
    ['eventId', (asset) => ({ asset, eventId: '1' })],
    ['chainId', () => ({ scheme: 'gnosis' })],
  ])('rule about the owners of a Safe: is rejected at %s', async (field, ruleOf) => {
    const rules = [ruleOf(`eip155:${chain.chainId}/safe:${safe}`)];
    const { status, body } = await gating.check({ account: STRANGER, rules });
    expect(status).toBe(400);
    const issue = expect.objectContaining({ path: `rules.0.${field}` });
    expect(body).toMatchObject({ error: { details: { issues: expect.arrayContaining([issue]) } } });
  });
});

const toDecimal = (units: bigint): string => {
  const digits = units.toString().padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
};

describe('a rule about staked tokens', () => {
  const STAKED = 2_500_001n;
  let vault: DeployedContract;
  let users = 0;

  beforeAll(async () => {
    vault = await chain.deploy('DemoERC4626', [token.address]);
    // 1.5 assets a share.
    await chain.send(vault, 'setAssetsPerShare', [15n * 10n ** 17n]);
  });

  const newAddress = () => `0x${(0xc0de00 + ++users).toString(16).padStart(40, '0')}`;
  const rule = (collectionName: string, more: object = {}) => ({
    ...{ type: 'staking', chainId: chain.chainId, collectionName },
    contractAddress: collectionName === 'erc4626' ? vault.address : pool.address,
    ...more,
  });
  const stake = (user: string, amount: bigint) => chain.send(pool, 'stakeFor', [user, amount, '0x']);
  /** Whether rules with these thresholds in the smallest unit are granted. */
  const grantedFrom = (account: string, collectionName: string, ...min: bigint[]) =>
    gating.granted(account, ...min.map((one) => rule(collectionName, { minToken: toDecimal(one) })));

  it('rule about staked tokens: is granted by the amount of ERC-900, to the unit, in any case of its type', async () => {
    const account = newAddress();
    await stake(account, STAKED);
    expect(await grantedFrom(account, 'erc900', STAKED, STAKED + 1n)).toEqual([true, false]);
    const max = [STAKED, STAKED - 1n].map((one) =>
      rule('erc900', { type: 'STAKING', maxToken: toDecimal(one) }),
    );
    expect(await gating.granted(account, ...max)).toEqual([true, false]);
  });

  it('rule about staked tokens: is granted by the assets that shares of ERC-4626 are worth, to the unit', async () => {
    const account = newAddress();
    await chain.send(vault, 'mint', [2_000_001n, account]);
    // 2,000,001 shares are worth 3,000,001.5 assets, rounded down.
    expect(await grantedFrom(account, 'erc4626', 3_000_001n, 3_000_002n)).toEqual([true, false]);
  });

  it('rule about staked tokens: is explained in whole tokens, by the assets that shares are worth', async () => {
    const account = newAddress();
    await chain.send(vault, 'mint', [2_000_001n, account]);
    await stake(account, STAKED);
    const rules = [rule('erc4626', { minToken: '3' }), rule('erc900', { minToken: '3' })];
    expect(await gating.explained(account, ...rules)).toEqual([
      'held_enough 3.000001',
      'below_minimum 2.500001',
    ]);
  });

  it('rule about staked tokens: is granted by what a configured adapter reads', async () => {
    const account = newAddress();
    await stake(account, 1_000_000n);
    await stake(account, 1_500_001n);
    expect(await grantedFrom(account, 'sum-of-stakes', STAKED, STAKED + 1n)).toEqual([true, false]);
    const counts = ['2', '3'].map((minToken) => rule('number-of-stakes', { minToken }));
    expect(await gating.granted(account, ...counts)).toEqual([true, false]);
    expect(await gating.granted(newAddress(), rule('number-of-stakes', { minToken: '0' }))).toEqual([true]);
  });

  it('rule about staked tokens: is rejected without an adapter, with how to configure one', async () => {
    const other = await chain.deploy('DemoERC900', [token.address]);
    for (const one of [rule('unheard-of'), rule('sum-of-stakes', { contractAddress: other.address })]) {
      const { status, body } = await gating.check({ account: STRANGER, rules: [rule('erc900'), one] });
      expect(status).toBe(400);
      const issue = { path: 'rules.1.collectionName', message: expect.stringContaining('STAKING_ADAPTERS') };
      expect(body).toMatchObject({ error: { details: { code: 'rule_not_supported', issues: [issue] } } });
    }
  });

  it('rule about staked tokens: is an error beside the roles where the contract is none of its adapter', async () => {
    const contracts = [
      STRANGER,
      token.address,
      (await chain.deploy('Garbage', [`0x${'ff'.repeat(32)}`])).address,
    ];
    const rules = ['erc900', 'erc4626'].flatMap((name) =>
      contracts.map((contractAddress) => rule(name, { contractAddress })),
    );
    const { status, body } = await gating.check({ account: OWNERS[0], rules });
    expect(status).toBe(200);
    const { errors } = body as { errors: { retryable: boolean }[] };
    expect(errors.map(({ retryable }) => retryable)).toEqual(rules.map(() => false));
  });

  it('rule about staked tokens: is undetermined, not denied, while the node is down', async () => {
    const rules = [rule('erc900', { chainId: DOWN_CHAIN })];
    expect((await gating.check({ account: STRANGER, rules })).status).toBe(503);
  });
});

describe('a rule about a collection at OpenSea', () => {
  const [ACCOUNT = ''] = OWNERS;
  const ETHEREUM = { chain: 'ethereum', address: `0x${'e1'.repeat(20)}` };
  const POLYGON = { chain: 'matic', address: `0x${'e2'.repeat(20)}` };
  let slugs = 0;

  const items = (chain: string, ids: number[], contract?: string) =>
    ids.map((id) => ({ chain, owner: ACCOUNT, identifier: String(id), ...(contract && { contract }) }));
  const newCollection = (
    list: Parameters<OpenSeaStandIn['add']>[2],
    contracts: Parameters<OpenSeaStandIn['add']>[1] = [ETHEREUM, POLYGON],
  ): string => {
    const slug = `collection-${++slugs}`;
    openSea.add(slug, contracts, list);
    return slug;
  };
  const rule = (collectionName: string, more: object = {}) => ({ type: 'OPEN_SEA', collectionName, ...more });
  const requestsOf = (slug: string) => openSea.requests.filter((path) => path.includes(slug));
  const check = (rules: object[], headers = {}) => gating.check({ account: ACCOUNT, rules }, headers);

  afterEach(() => {
    openSea.intercept = () => false;
  });

  it('rule about a collection at OpenSea: is granted by the number of distinct items on all chains and pages', async () => {
    const list = [...items('ethereum', [1, 2, 3, 4, 5, 6, 7, 7]), ...items('matic', [1, 2])];
    const slug = newCollection(list);
    const rules = ['9', '10'].map((minToken) => rule(slug, { minToken }));
    expect(await gating.granted(ACCOUNT, ...rules)).toEqual([true, false]);
    const max = ['9', '8'].map((maxToken) => rule(slug, { maxToken }));
    expect(await gating.granted(ACCOUNT, ...max)).toEqual([true, false]);
    expect(await gating.granted(STRANGER, rule(slug))).toEqual([false]);
  });

  it('rule about a collection at OpenSea: counts the items of one chain or contract only, if it names them', async () => {
    const slug = newCollection([
      ...items('ethereum', [1, 2]),
      ...items('ethereum', [1], POLYGON.address),
      ...items('matic', [8], POLYGON.address),
    ]);
    const narrowed = [
      rule(slug, { chainId: 1, minToken: '4' }),
      rule(slug, { chainId: 1, minToken: '3' }),
      rule(slug, { chainId: 137, minToken: '2' }),
      rule(slug, { contractAddress: POLYGON.address, minToken: '2' }),
      rule(slug, { contractAddress: POLYGON.address, minToken: '3' }),
      rule(slug, { chainId: 10, minToken: '0' }),
    ];
    expect(await gating.granted(ACCOUNT, ...narrowed)).toEqual([false, true, false, true, false, false]);
  });

  it('rule about a collection at OpenSea: is explained by what is held, unless reading stopped before', async () => {
    const slug = newCollection([...items('ethereum', [1, 2, 3, 4, 5, 6, 7]), ...items('matic', [1, 2])]);
    const rules = [
      rule(slug, { minToken: '9' }),
      rule(slug, { minToken: '10' }),
      rule(slug, { maxToken: '5' }),
      rule(slug, { minToken: '2' }),
      rule(slug, { chainId: 10, minToken: '0' }),
    ];
    expect(await gating.explained(ACCOUNT, ...rules)).toEqual([
      ...['held_enough 9', 'below_minimum 9', 'above_maximum', 'held_enough', 'no_contract_on_chain'],
    ]);
    expect(await gating.explained(STRANGER, rule(slug))).toEqual(['below_minimum 0']);
    expect(await gating.explained(SOLANA_ACCOUNT, rule(slug))).toEqual(['wrong_chain_family']);
    const trees = [{ not: rule(slug) }, { not: rule(slug, { chainId: 10 }) }];
    expect(await gating.granted(SOLANA_ACCOUNT, ...trees)).toEqual([false, false]);
    expect(await gating.explained(SOLANA_ACCOUNT, rule(slug, { chainId: 10 }))).toEqual([
      'wrong_chain_family',
    ]);
    // A collection that is not on the chain is held by nobody there.
    expect(await gating.granted(STRANGER, ...trees)).toEqual([true, true]);
    // Nothing is known of a contract account on a chain without a node.
    const account = `eip155:${chain.chainId}:${STRANGER}`;
    const { status, body } = await gating.check({ account, rules: trees.slice(1) });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      roles: [{ granted: false }],
      errors: [{ name: 'UnknownChainError', path: 'not' }],
    });
  });

  it('rule about a collection at OpenSea: grants nothing to an account of another chain family', async () => {
    const slug = newCollection(items('ethereum', [1]));
    expect(
      await gating.granted('4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM', rule(slug, { minToken: '0' })),
    ).toEqual([false]);
  });

  it('rule about a collection at OpenSea: reads no further page than the verdict needs, and no page twice within a minute', async () => {
    const slug = newCollection(items('ethereum', [1, 2, 3, 4, 5, 6, 7]), [ETHEREUM]);
    expect(await gating.granted(ACCOUNT, rule(slug, { minToken: '2' }))).toEqual([true]);
    expect(requestsOf(slug)).toHaveLength(2);
    expect(await gating.granted(ACCOUNT, rule(slug, { minToken: '7' }))).toEqual([true]);
    expect(requestsOf(slug)).toHaveLength(4);
    expect(await gating.granted(ACCOUNT, rule(slug, { maxToken: '6' }))).toEqual([false]);
    expect(requestsOf(slug)).toHaveLength(4);
  });

  it('rule about a collection at OpenSea: is a permanent error where the collection does not exist or is on an unknown chain', async () => {
    const unknown = newCollection(items('moon', [1]), [{ chain: 'moon', address: ETHEREUM.address }]);
    const { status, body } = await check([rule('no-such-collection'), rule(unknown)]);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      roles: [{ granted: false }],
      errors: [
        { name: 'CollectionNotFoundError', retryable: false },
        { name: 'CollectionChainUnknownError', retryable: false },
      ],
    });
  });

  it.each<[string, Intercept]>([
    ['fails', (_, response) => Boolean(response.writeHead(500).end())],
    ['refuses the key', (_, response) => Boolean(response.writeHead(401).end('{}'))],
    ['closes the connection', (request) => Boolean(request.destroy())],
    ['answers no JSON', (_, response) => Boolean(response.end('<html>'))],
    [
      'answers another form',
      (_, response) => Boolean(response.end('{"contracts":[{"chain":1}],"nfts":"x"}')),
    ],
    ['answers too much', (_, response) => Boolean(response.end(' '.repeat(3 * 1024 * 1024)))],
  ])(
    'rule about a collection at OpenSea: is undetermined, not denied, while OpenSea %s',
    async (_, intercept) => {
      const slug = newCollection(items('ethereum', [1]), [ETHEREUM]);
      openSea.intercept = intercept;
      expect((await check([rule(slug)])).status).toBe(503);
      // The failure is not kept.
      openSea.intercept = (request, response) => isItems(request) && intercept(request, response);
      expect((await check([rule(slug)])).status).toBe(503);
      openSea.intercept = () => false;
      expect(await gating.granted(ACCOUNT, rule(slug))).toEqual([true]);
    },
  );

  it('rule about a collection at OpenSea: is granted by the first pages even though the next one fails, where these are enough', async () => {
    const slug = newCollection(items('ethereum', [1, 2, 3, 4]), [ETHEREUM]);
    openSea.intercept = (request, response) =>
      request.url?.includes('next=') === true && Boolean(response.writeHead(503).end());
    expect(await gating.granted(ACCOUNT, rule(slug, { minToken: '3' }))).toEqual([true]);
    expect((await check([rule(slug, { minToken: '4' })])).status).toBe(503);
    openSea.intercept = () => false;
    expect(await gating.granted(ACCOUNT, rule(slug, { minToken: '4' }))).toEqual([true]);
  });

  it('rule about a collection at OpenSea: is a permanent error where OpenSea never ends its pages', async () => {
    const slug = newCollection([], [ETHEREUM]);
    openSea.intercept = (request, response) =>
      isItems(request) && Boolean(response.end(JSON.stringify({ nfts: [], next: 'again' })));
    const { status, body } = await check([rule(slug)]);
    expect([status, body]).toMatchObject([
      200,
      { errors: [{ name: 'RuleReadLimitExceededError', retryable: false }] },
    ]);
    expect(requestsOf(slug)).toHaveLength(51);
  });

  it('rule about a collection at OpenSea: waits as long as OpenSea asks for after a 429', async () => {
    const slug = newCollection(items('ethereum', [1]), [ETHEREUM]);
    openSea.intercept = (_, response) => Boolean(response.writeHead(429, { 'retry-after': '1' }).end());
    expect((await check([rule(slug)])).status).toBe(503);
    openSea.intercept = () => false;
    const before = requestsOf(slug).length;
    expect(await gating.granted(ACCOUNT, rule(slug))).toEqual([true]);
    expect(requestsOf(slug).length - before).toBe(2);
  });

  it.each<[string, object]>([
    ['collectionName', { collectionName: undefined }],
    ['collectionName', { collectionName: '../accounts' }],
    ['tokenId', { tokenId: '1' }],
    ['minToken', { minToken: '0.5' }],
    ['contractAddress', { contractAddress: '0x12' }],
  ])('is rejected at %s: %j', async (field, more) => {
    const { status, body } = await check([rule('collection-1', more)]);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { details: { issues: [{ path: `rules.0.${field}` }] } } });
  });
});

describe('a rule about the POAPs of an event', () => {
  const HOLDERS: Address[] = [
    '0xe100000000000000000000000000000000000001',
    '0xe100000000000000000000000000000000000002',
  ];
  const POAP_CONTRACT: Address = '0x22C1f6050E56d2876009903609a2cC3fEf83B415';
  const EVENT = 4242n;
  const rule = (more: object = {}) => ({
    ...{ type: 'POAP', chainId: chain.chainId, eventId: String(EVENT) },
    ...more,
  });

  beforeAll(async () => {
    const { address, abi } = await chain.deploy('DemoPoap');
    const code = await chain.client.getCode({ address });
    if (!code) throw new Error('DemoPoap has no code');
    await chain.client.setCode({ address: POAP_CONTRACT, bytecode: code });
    for (const [holder, event] of [
      [HOLDERS[0], EVENT],
      [HOLDERS[0], EVENT + 1n],
      [HOLDERS[0], EVENT],
    ] as const)
      await chain.mint({ address: POAP_CONTRACT, abi }, holder ?? POAP_CONTRACT, event);
  });

  it('rule about the POAPs of an event: counts those of the event only', async () => {
    const [holder = '', other = ''] = HOLDERS;
    const rules = [
      rule({ minToken: '2' }),
      rule({ minToken: '3' }),
      rule({ maxToken: '1' }),
      rule({ eventId: '4243', contractAddress: 'POAP' }),
      rule({ eventId: '1', contractAddress: POAP_CONTRACT }),
    ];
    expect(await gating.granted(holder, ...rules)).toEqual([true, false, false, true, false]);
    expect(await gating.granted(other, ...rules.slice(0, 1))).toEqual([false]);
  });

  it('rule about the POAPs of an event: is explained by what is held, and does not apply to other chain families', async () => {
    const [holder = '', other = ''] = HOLDERS;
    const rules = [rule({ minToken: '2' }), rule({ minToken: '3' }), rule({ maxToken: '1' }), rule()];
    const [enough, ...rest] = (await gating.explained(holder, ...rules)) as string[];
    expect(enough).toBe('held_enough 2');
    expect(rest).toEqual(['below_minimum 2', expect.stringMatching(/^above_maximum/), expect.any(String)]);
    expect(await gating.explained(other, rule())).toEqual(['below_minimum 0']);
    expect(await gating.explained(SOLANA_ACCOUNT, rule())).toEqual(['wrong_chain_family']);
    expect(await gating.granted(SOLANA_ACCOUNT, { not: rule() })).toEqual([false]);
    expect(await gating.granted(other, { not: rule() })).toEqual([true]);
  });

  it('rule about the POAPs of an event: is undetermined, not denied, while the node of one of its chains is down', async () => {
    const { status } = await gating.check({ account: HOLDERS[0], rules: [rule({ chainId: undefined })] });
    expect(status).toBe(503);
  });

  it.each<[string, object]>([
    ['eventId', { eventId: undefined }],
    ['eventId', { eventId: 'devcon' }],
    ['contractAddress', { contractAddress: STRANGER }],
    ['tokenId', { tokenId: '1' }],
    ['minToken', { minToken: '0.5' }],
    ['chainId', { chainId: 10 }],
  ])('is rejected at %s: %j', async (field, more) => {
    const { status, body } = await gating.check({ account: STRANGER, rules: [rule(more)] });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { details: { issues: [{ path: `rules.0.${field}` }] } } });
  });
});

describe('a deployment without a key of OpenSea and without the chains of POAPs', () => {
  it('deployment without a key of OpenSea and without the chains of POAPs: rejects rules about them', async () => {
    const bare = await GatingApp.start({ [`RPC_URL_${chain.chainId}`]: chain.rpcUrl });
    try {
      const rules = [
        { type: 'OPEN_SEA', collectionName: 'demo' },
        { type: 'POAP', eventId: '1' },
      ];
      const { status, body } = await bare.check({ account: STRANGER, rules });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        error: {
          details: {
            code: 'rule_not_supported',
            issues: [{ path: 'rules.0.type' }, { path: 'rules.1.chainId' }],
          },
        },
      });
    } finally {
      await bare.stop();
    }
  });
});

const isItems = ({ url = '' }: IncomingMessage): boolean => url.includes('/nfts');
