import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Address, encodeErrorResult, type Hex, parseAbi, size } from 'viem';
import type { DeployedContract } from '../support/local-chain.js';
import { GatingApp } from './gating-app.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

/** The addresses of CryptoPunks and CryptoKitties on Ethereum. */
const CRYPTO_PUNKS: Address = '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';
const CRYPTO_KITTIES: Address = '0x06012c8cf97bead5deae237070f9587f8e7a266d';
const NO_FUNCTION = parseAbi(['error Error(string)', 'error FunctionNotFound(bytes4)']);
const EMPTY_SLOT: Hex = `0x${'0'.repeat(64)}`;
const lenient = { Prefer: 'handling=lenient' };

interface Shape {
  readonly hasOwnerOf?: boolean;
  readonly hasInterfaces?: boolean;
  readonly claimsErc721?: boolean;
  readonly claimsErc1155?: boolean;
  readonly decimals?: number;
}

let world: RolesWorld;
let holder: Address;
let other: Address;

beforeAll(async () => {
  world = await RolesWorld.start({ RPC_CACHE: 'off' });
  holder = (await world.wallet(1n)) as Address;
  other = (await world.wallet()) as Address;
});

afterAll(async () => {
  await world.stop();
});

/** A collection of which the holder has token 5. */
async function deploy({
  hasOwnerOf = false,
  hasInterfaces = false,
  claimsErc721 = false,
  claimsErc1155 = false,
  decimals = 0,
}: Shape): Promise<DeployedContract> {
  const { chain } = world.gated;
  const shape = { hasOwnerOf, hasInterfaces, claimsErc721, claimsErc1155, decimals };
  const contract = await chain.deploy('OddERC721', [shape]);
  await chain.send(contract, 'give', [holder, 5n]);
  return contract;
}

/** Puts the code and the one token of a collection at an address. */
async function deployAt(address: Address, shape: Shape): Promise<DeployedContract> {
  const { client } = world.gated.chain;
  const { abi, address: source } = await deploy(shape);
  const [bytecode, slot] = await Promise.all([
    client.getCode({ address: source }),
    client.getStorageAt({ address: source, slot: EMPTY_SLOT }),
  ]);
  await client.setCode({ address, bytecode: bytecode ?? '0x' });
  await client.setStorageAt({ address, index: EMPTY_SLOT, value: slot ?? EMPTY_SLOT });
  const contract = { address, abi };
  await world.gated.chain.send(contract, 'give', [holder, 5n]);
  return contract;
}

const rule = ({ address }: Pick<DeployedContract, 'address'>, fields: object = {}) => ({
  ...{ type: 'ERC721', chainId: world.chainId, contractAddress: address },
  ...fields,
});
const granted = (account: string, ...rules: object[]) => world.gating.granted(account, ...rules);
const checkOne = async (account: string, one: object) => {
  const { status, body } = await world.gating.check({ account, rules: [one] }, lenient);
  expect(status).toBe(200);
  return body;
};
const undetermined = (name: string, message: RegExp) => ({
  roles: [{ granted: false }],
  errors: [{ name, message: expect.stringMatching(message), retryable: false }],
});
async function listOne(asset: string, account: string = holder): Promise<unknown> {
  const path = `/asset-list/${account}?assets=${encodeURIComponent(asset)}`;
  const { body } = await world.gating.request('GET', path, undefined, lenient, asClient('client_1'));
  return (body as unknown[])[0];
}
const nft = ({ address }: DeployedContract, id?: bigint) =>
  `eip155:${world.chainId}/erc721:${address}${id === undefined ? '' : `/${id}`}`;
const isOwned = async (asset: string): Promise<unknown> => {
  const path = `/asset-ownership/${holder}?assets=${encodeURIComponent(asset)}`;
  return (await world.gating.request('GET', path, undefined, lenient, asClient('client_1'))).body;
};

it('T260: checkRoles: a contract without ownerOf is undetermined for every account, and for good', async () => {
  const contract = await deploy({});
  const tokenRule = rule(contract, { tokenId: '5' });
  const expected = undetermined('ContractRevertedError', /does not tell who owns a token/);
  for (const account of [holder, other]) expect(await checkOne(account, tokenRule)).toMatchObject(expected);
  expect(
    await checkOne(holder, rule(contract, { tokenId: '5', maxToken: '0', minToken: '0' })),
  ).toMatchObject(expected);
  expect(await granted(holder, rule(contract))).toEqual([true]);
});

it.each([
  ['Error', 'Diamond: Function does not exist'],
  ['FunctionNotFound', '0x6352211e'],
] as const)(
  'T271: checkRoles: a contract whose fallback refuses ownerOf by %s(%s) is undetermined',
  async (errorName, reason) => {
    const revertData = encodeErrorResult({ abi: NO_FUNCTION, errorName, args: [reason] });
    const { client } = world.gated.chain;
    const address: Address = `0x${randomBytes(20).toString('hex')}`;
    // PUSH length, DUP1, PUSH offset, PUSH 0, CODECOPY, PUSH 0, REVERT, and the data
    const length = size(revertData).toString(16).padStart(2, '0');
    await client.setCode({ address, bytecode: `0x60${length}80600b6000396000fd${revertData.slice(2)}` });
    expect(await checkOne(holder, rule({ address }, { tokenId: '5' }))).toMatchObject(
      undetermined('ContractRevertedError', /does not tell who owns a token/),
    );
  },
);

it('asset-list, asset-ownership: a token of a contract without ownerOf has an error', async () => {
  const contract = await deploy({});
  const error = { name: 'ContractRevertedError', retryable: false };
  expect(await listOne(nft(contract, 5n))).toMatchObject({ errors: [error] });
  expect(await isOwned(nft(contract, 5n))).toMatchObject({ assets: [], errors: [error] });
});

it('checkRoles: ownerOf that reverts without data means no owner where the contract claims ERC-721', async () => {
  const contract = await deploy({ hasOwnerOf: true, hasInterfaces: true, claimsErc721: true });
  expect(await granted(holder, rule(contract, { tokenId: '5' }), rule(contract, { tokenId: '6' }))).toEqual([
    true,
    false,
  ]);
  expect(await checkOne(other, rule(contract, { tokenId: '6' }))).toEqual({ roles: [expect.anything()] });
  expect(await listOne(nft(contract, 6n))).toMatchObject({ balance: '0' });
});

it('checkRoles: ownerOf that reverts with a reason means no owner, whatever the contract claims', async () => {
  const contract = await world.gated.chain.deploy('DemoERC721', ['Demo', 'NFT']);
  expect(await checkOne(holder, rule(contract, { tokenId: '6' }))).toEqual({ roles: [expect.anything()] });
});

it('checkRoles: CryptoPunks are read by punkIndexToAddress, and a punk without owner is nobody’s', async () => {
  const punks = await deployAt(CRYPTO_PUNKS, {});
  const rules = [rule(punks, { tokenId: '5' }), rule(punks, { tokenId: '6' }), rule(punks)];
  expect(await granted(holder, ...rules)).toEqual([true, false, true]);
  expect(await granted(other, ...rules)).toEqual([false, false, false]);
  expect(await listOne(nft(punks, 5n))).toMatchObject({ balance: '1', tokens: [{ id: '5' }] });
});

it('checkRoles: CryptoKitties without owner are nobody’s, although they revert without data', async () => {
  const kitties = await deployAt(CRYPTO_KITTIES, { hasOwnerOf: true });
  expect(await granted(holder, rule(kitties, { tokenId: '5' }), rule(kitties, { tokenId: '6' }))).toEqual([
    true,
    false,
  ]);
});

it('checkRoles: an ERC721 rule about an ERC-20 is an error that says so, with and without a balance', async () => {
  const expected = undetermined('RuleNotSupportedError', /token with decimals.*use a rule of type ERC20/);
  for (const account of [holder, other]) {
    expect(await checkOne(account, rule(world.token))).toMatchObject(expected);
    expect(await checkOne(account, rule(world.token, { maxToken: '0', minToken: '0' }))).toMatchObject(
      expected,
    );
  }
  expect(await listOne(nft(world.token))).toMatchObject({ errors: [{ name: 'RuleNotSupportedError' }] });
});

it('checkRoles: a hybrid of ERC-20 and ERC-721 counts by its ids, and not by its balance', async () => {
  const hybrid = await deploy({ hasOwnerOf: true, hasInterfaces: true, claimsErc721: true, decimals: 18 });
  expect(await checkOne(holder, rule(hybrid))).toMatchObject(
    undetermined('RuleNotSupportedError', /token with decimals/),
  );
  expect(await granted(holder, rule(hybrid, { tokenId: '5' }), rule(hybrid, { tokenId: '6' }))).toEqual([
    true,
    false,
  ]);
});

it('checkRoles: an ERC721 rule about an ERC-1155 is an error that says so, with ids too', async () => {
  const multi = await deploy({ hasOwnerOf: true, hasInterfaces: true, claimsErc1155: true });
  const expected = undetermined(
    'RuleNotSupportedError',
    /collection of ERC-1155.*use a rule of type ERC1155/,
  );
  for (const fields of [{}, { tokenId: '5' }])
    expect(await checkOne(holder, rule(multi, fields))).toMatchObject(expected);
});

it('checkRoles: a collection that claims both standards is one of ERC-721', async () => {
  const both = await deploy({
    hasOwnerOf: true,
    hasInterfaces: true,
    claimsErc721: true,
    claimsErc1155: true,
  });
  expect(await granted(holder, rule(both), rule(both, { tokenId: '5' }))).toEqual([true, true]);
});

it('checkRoles: what a contract is is read once, and with the next check not again', async () => {
  const contract = await deploy({ hasOwnerOf: true });
  const { node } = world.gated;
  const count = async () => {
    const before = node.count('eth_call');
    expect(await granted(holder, rule(contract))).toEqual([true]);
    return node.count('eth_call') - before;
  };
  const first = await count();
  const second = await count();
  expect(second).toBe(1);
  expect(first).toBeGreaterThan(second);
});

it('T260: getMemberRoles: a role is kept when the contract tells no owner any more', async () => {
  const contract = await deploy({ hasOwnerOf: true });
  const userId = 'user_of_odd_token';
  world.book.set(userId, eoa(holder));
  const rules = [rule(contract, { tokenId: '5', roleId: 'punk' })];
  const id = await world.communities.create({ roles: ['punk'], rules, members: [userId] });
  expect((await world.roles(id, userId, asUser(userId))).body).toMatchObject({
    roles: [{ id: 'punk', granted: true }],
  });
  const { address } = contract;
  await world.gated.chain.client.setStorageAt({ address, index: EMPTY_SLOT, value: EMPTY_SLOT });
  expect((await world.roles(id, userId, asUser(userId), lenient)).body).toMatchObject({
    roles: [{ id: 'punk', granted: true }],
    errors: [{ roleId: 'punk', name: 'ContractRevertedError', retryable: false }],
  });
  expect(await world.communities.assignments(id)).toEqual([`${userId} punk`]);
});

it('asset-list: an enumeration and a tokenURI are read although supportsInterface reverts', async () => {
  const contract = await deploy({ hasOwnerOf: true });
  const uri = 'https://example.com/5.json';
  await world.gated.chain.send(contract, 'setUri', [uri, 0n, '']);
  expect(await listOne(nft(contract))).toMatchObject({ balance: '1', tokens: [{ id: '5', uri }] });
  expect(await listOne(nft(contract, 5n))).toMatchObject({ balance: '1', tokens: [{ id: '5', uri }] });
});

/** The document of a red hat, whose image makes its URI as long as wanted. */
async function deployDocument(kibibytes: number): Promise<DeployedContract> {
  const contract = await deploy({ hasOwnerOf: true, hasInterfaces: true, claimsErc721: true });
  // The head has a length that base64 needs no padding for.
  const head = '{"attributes":[{"trait_type":"Hat","value":"red"}],"image":"'.padEnd(60, ' ');
  const toBase64 = (text: string) => Buffer.from(text).toString('base64');
  const words = BigInt(kibibytes * 32);
  const start = `data:application/json;base64,${toBase64(head)}`;
  await world.gated.chain.send(contract, 'setUri', [start, words, toBase64('"}')]);
  return contract;
}
const redHat = { requiresMetadata: true, query: "attributes[trait_type = 'Hat'].value = 'red'" };

it.each([20, 900])('checkRoles, asset-list: metadata in a tokenURI of %i KiB is read', async (kibibytes) => {
  const contract = await deployDocument(kibibytes);
  expect(await granted(holder, rule(contract, { ...redHat, tokenId: '5' }), rule(contract, redHat))).toEqual([
    true,
    true,
  ]);
  expect(await granted(holder, rule(contract, { ...redHat, query: 'false', tokenId: '5' }))).toEqual([false]);
  const item = (await listOne(nft(contract, 5n))) as { tokens: Record<string, unknown>[] };
  expect(item.tokens).toMatchObject([{ id: '5', metadata: { attributes: [{ value: 'red' }] } }]);
  expect(Object.keys(item.tokens[0] ?? {}).sort()).toEqual(['balance', 'id', 'metadata']);
});

it('T261: checkRoles: a tokenURI beyond 3 MiB, and a document beyond 1 MiB, are errors of their rules alone', async () => {
  const [tooLong, tooLarge, good] = [
    await deployDocument(3_200),
    await deployDocument(1_500),
    await deployDocument(20),
  ];
  const rules = [tooLong, tooLarge, good].map((contract, index) => ({
    ...rule(contract, { ...redHat, tokenId: '5' }),
    roleId: String(index),
  }));
  const { status, body } = await world.gating.check({ account: holder, rules }, lenient);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    roles: [{ granted: false }, { granted: false }, { granted: true }],
    errors: [
      { roleId: '0', retryable: false },
      { roleId: '1', retryable: false },
    ],
  });
});

it.each([
  [
    'JSON with percent signs',
    'data:application/json;utf8,{"name":"x","image":"data:image/svg+xml;utf8,%3Csvg width=%221%22%3E","attributes":[{"trait_type":"Hat","value":"red"}]}',
  ],
  [
    'JSON with line breaks and spaces around',
    '\n data:application/json;utf8,{\n\t"attributes": [\n{ "trait_type": "Hat", "value": "red" } ] }\n',
  ],
  [
    'base64url',
    `data:application/json;base64,${Buffer.from('{"name":"??>","attributes":{"trait_type":"Hat","value":"red"}}').toString('base64url')}`,
  ],
])('checkRoles: %s in a data URI is read', async (_, uri) => {
  const contract = await deploy({ hasOwnerOf: true });
  await world.gated.chain.send(contract, 'setUri', [uri, 0n, '']);
  expect(await granted(holder, rule(contract, { ...redHat, tokenId: '5' }))).toEqual([true]);
});

it('checkRoles: an adapter whose function returns a bool says who has a valid key', async () => {
  const { chain } = world.gated;
  const contract = await chain.deploy('OddERC721', [
    { hasOwnerOf: true, hasInterfaces: false, claimsErc721: false, claimsErc1155: false, decimals: 0 },
  ]);
  const gating = await GatingApp.start({
    [`RPC_URL_${chain.chainId}`]: world.gated.node.url,
    STAKING_ADAPTERS: JSON.stringify([
      {
        chainId: chain.chainId,
        contractAddress: contract.address,
        collectionName: 'membership',
        function: 'function getHasValidKey(address) view returns (bool)',
        result: 'amount',
      },
    ]),
  });
  try {
    const valid = {
      type: 'staking',
      chainId: chain.chainId,
      contractAddress: contract.address,
      collectionName: 'membership',
    };
    await chain.send(contract, 'give', [holder, 5n]);
    expect(await gating.granted(holder, valid)).toEqual([true]);
    await chain.send(contract, 'expire', [holder]);
    expect(await gating.granted(holder, valid)).toEqual([false]);
  } finally {
    await gating.stop();
  }
});
