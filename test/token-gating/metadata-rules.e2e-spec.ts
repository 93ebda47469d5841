import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import type { DeployedContract } from '../support/local-chain.js';
import { receiver, type Receiver } from '../support/receiver.js';
import { asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const RED = "attributes[trait_type = 'Hat'].value = $hat";
const variables = { hat: 'red' };
const MAX_HELD = 200n;
const WHALE_FIRST = 1_001n;

let world: RolesWorld;
let server: Receiver;
let requests: string[] = [];
let tokens: DeployedContract;
let multi: DeployedContract;
let holder: Address;
let second: Address;
let whale: Address;

beforeAll(async () => {
  server = await receiver(({ url = '' }, response) => {
    requests.push(url);
    if (url.startsWith('/down')) response.writeHead(503).end();
    else if (url.startsWith('/garbage')) response.end('<html>');
    else {
      const id = BigInt(`0x${url.slice(1, 65)}`);
      const hat = id % 2n === 1n ? 'red' : 'blue';
      response.end(JSON.stringify({ level: Number(id), attributes: [{ trait_type: 'Hat', value: hat }] }));
    }
  });
  world = await RolesWorld.start({ CALLBACK_ALLOW_CIDRS: '127.0.0.0/8', RPC_CACHE: 'off' });
  const { chain } = world.gated;
  tokens = await chain.deploy('EnumerableERC721', [`${url()}/{id}`]);
  multi = await chain.deploy('MetadataERC1155', [`${url()}/{id}.json`]);
  holder = (await world.wallet()) as Address;
  second = (await world.wallet()) as Address;
  whale = (await world.wallet()) as Address;
  // Odd ids have a red hat: three of the holder, one of the second wallet, and 101 of the whale.
  await chain.send(tokens, 'mint', [holder, 1n, 5n]);
  await chain.send(tokens, 'mint', [second, 6n, 2n]);
  await chain.send(tokens, 'mint', [whale, WHALE_FIRST, MAX_HELD + 1n]);
  await chain.mint(multi, holder, 11n, 7n);
  await chain.mint(multi, holder, 12n, 100n);
});

afterAll(async () => {
  await world.stop();
  await server.stop();
});

const url = () => `http://127.0.0.1:${String(server.port)}`;
const rule = ({ address }: DeployedContract, more: object = {}) => ({
  ...{ type: 'ERC721', chainId: world.chainId, contractAddress: address },
  ...{ requiresMetadata: true, query: RED, variables },
  ...more,
});
const rule1155 = (more: object) => rule(multi, { type: 'ERC1155', tokenId: '10-12', ...more });
const granted = (account: string, ...rules: object[]) => world.gating.granted(account, ...rules);

/** The answer for a rule without a verdict. */
const errorOf = async (account: string, one: object) => {
  const { status, body } = await world.gating.check(
    { account, rules: [one] },
    { Prefer: 'handling=lenient' },
  );
  expect(status).toBe(200);
  return body;
};
const undetermined = (name: string, retryable: boolean) => ({
  roles: [{ granted: false }],
  errors: [{ name, retryable }],
});

/** An enumerable contract with this URI, of which the holder has one token. */
async function deployWith(uri: string): Promise<DeployedContract> {
  const contract = await world.gated.chain.deploy('EnumerableERC721', [uri]);
  await world.gated.chain.send(contract, 'mint', [holder, 1n, 1n]);
  return contract;
}

describe('a rule about the metadata of tokens', () => {
  it('rule about the metadata of tokens: counts the tokens that match, to the unit', async () => {
    expect(
      await granted(
        holder,
        rule(tokens, { minToken: '3' }),
        rule(tokens, { minToken: '4' }),
        rule(tokens, { minToken: '0', maxToken: '3' }),
        rule(tokens, { minToken: '0', maxToken: '2' }),
        rule(tokens, { variables: { hat: 'blue' }, minToken: '2' }),
        rule(tokens, { variables: { hat: 'green' } }),
        rule(tokens, { query: 'level > 3 and level < 6', variables: undefined, minToken: '2' }),
      ),
    ).toEqual([true, false, true, false, true, false, true]);
  });

  it('rule about the metadata of tokens: is explained by the tokens that match', async () => {
    const rules = [
      rule(tokens, { minToken: '3', maxToken: '3' }),
      rule(tokens, { variables: { hat: 'green' } }),
      rule(tokens, { minToken: '6' }),
      rule1155({ minToken: '8' }),
    ];
    expect(await world.gating.explained(holder, ...rules)).toEqual([
      ...['held_enough 3', 'metadata_mismatch 0', 'below_minimum', 'metadata_mismatch 7'],
    ]);
  });

  it('rule about the metadata of tokens: counts among the ids of the rule', async () => {
    expect(
      await granted(
        holder,
        rule(tokens, { tokenId: '1-3,7', minToken: '2' }),
        rule(tokens, { tokenId: '1-3,7', minToken: '3' }),
        rule(tokens, { tokenId: '2' }),
      ),
    ).toEqual([true, false, false]);
  });

  it('rule about the metadata of tokens: counts the balances of the ids of an ERC-1155 contract', async () => {
    expect(
      await granted(
        holder,
        rule1155({ minToken: '7' }),
        rule1155({ minToken: '8' }),
        rule1155({ query: 'true', minToken: '107', maxToken: '107' }),
      ),
    ).toEqual([true, false, true]);
    expect(requests.filter((path) => path.endsWith('.json')).sort()).toEqual(
      ['b', 'c'].map((digit) => `/${digit.padStart(64, '0')}.json`),
    );
  });

  it.each(['"true"', '1', 'attributes', 'nothing'])(
    'rule about the metadata of tokens: counts no token for the result of %s',
    async (query) => {
      expect(await granted(holder, rule(tokens, { query }))).toEqual([false]);
    },
  );

  it('rule about the metadata of tokens: is undetermined while the server of the metadata is down, and for metadata that is none', async () => {
    const down = rule(await deployWith(`${url()}/down/{id}`));
    expect((await world.gating.check({ account: holder, rules: [down] })).status).toBe(503);
    expect(await errorOf(holder, down)).toMatchObject(undetermined('MetadataUnavailableError', true));
    const garbage = rule(await deployWith(`${url()}/garbage`));
    expect(await errorOf(holder, garbage)).toMatchObject(undetermined('MalformedMetadataError', false));
    expect(await granted(second, down, garbage)).toEqual([false, false]);
  });

  it('rule about the metadata of tokens: loads no URI of another scheme', async () => {
    for (const uri of ['javascript:alert(1)', 'file:///etc/passwd']) {
      const refused = rule(await deployWith(uri));
      expect(await errorOf(holder, refused)).toMatchObject(undetermined('MetadataRefusedError', false));
    }
  });

  it('rule about the metadata of tokens: has an error for a query that fails, or takes too much', async () => {
    const failing = rule(tokens, { query: 'level + "1" = 2' });
    expect(await errorOf(holder, failing)).toMatchObject(undetermined('InvalidQueryError', false));
    const endless = rule(tokens, { query: '($f := function($n) { 1 + $f($n) }; $f(1))' });
    expect(await errorOf(holder, endless)).toMatchObject(undetermined('QueryLimitExceededError', false));
  });

  it('rule about the metadata of tokens: is not supported by a contract that does not list its tokens, without ids', async () => {
    const { chain } = world.gated;
    const plain = await chain.deploy('DemoERC721', ['Demo', 'NFT']);
    await chain.mint(plain, holder, 1n);
    expect(await errorOf(holder, rule(plain))).toMatchObject(undetermined('RuleNotSupportedError', false));
    expect(await granted(holder, rule(plain, { minToken: '2' }))).toEqual([false]);
  });

  it('T91: rule about the metadata of tokens: is judged as far as 200 tokens decide it, and reads no more than it needs', async () => {
    requests = [];
    expect(await granted(whale, rule(tokens, { minToken: '1' }))).toEqual([true]);
    expect(requests.length).toBeLessThanOrEqual(8);
    expect(await granted(whale, rule(tokens, { minToken: '202' }))).toEqual([false]);
    expect(requests.length).toBeLessThanOrEqual(8);
    expect(
      await granted(whale, rule(tokens, { minToken: '100' }), rule(tokens, { minToken: '102' })),
    ).toEqual([true, false]);
    for (const tokenId of [undefined, '1001-1201'])
      expect(await errorOf(whale, rule(tokens, { minToken: '101', tokenId }))).toMatchObject(
        undetermined('RuleReadLimitExceededError', false),
      );
    expect(requests).toHaveLength(Number(MAX_HELD));
  });

  it('T91: rule about the metadata of a contract that claims 2^255 tokens and repeats ids: takes five calls to the node, one of them for what the contract is', async () => {
    const { chain, node } = world.gated;
    const liar = await deployWith(`${url()}/{id}`);
    await chain.send(liar, 'lie', [2n ** 255n, true]);
    const calls = node.count('eth_call');
    expect(await errorOf(holder, rule(liar, { minToken: '2' }))).toMatchObject({
      errors: [{ retryable: false }],
    });
    expect(node.count('eth_call') - calls).toBeLessThanOrEqual(5);
    expect(await granted(holder, rule(liar))).toEqual([true]);
  });

  it('rule about the metadata of tokens: gives roles to the members of a community, for all their wallets together', async () => {
    world.book.set('user_traits', eoa(holder), eoa(second));
    const rules = ['4', '5'].map((minToken) => rule(tokens, { minToken, roleId: minToken }));
    const id = await world.communities.create({ roles: ['4', '5'], rules, members: ['user_traits'] });
    expect((await world.roles(id, 'user_traits', asUser('user_traits'))).body).toEqual({
      roles: [
        { id: '4', granted: true },
        { id: '5', granted: false },
      ],
    });
  });
});
