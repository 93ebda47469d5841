import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from '@solana/kit';
import { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { newAddress, writeGroupMember, writeMintWithMetadata, writeNft } from '../support/solana-nfts.js';
import { SolanaNode } from '../support/solana-node.js';
import { writeTokenAccount } from '../support/solana-tokens.js';
import { GatingApp } from './gating-app.js';

const DEVNET = 8_000_000_000_103;
const DEVNET_CAIP_2 = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';

let cluster: SolanaCluster;
let node: SolanaNode;
let gating: GatingApp;
let collection: Address;
let creator: Address;

beforeAll(async () => {
  cluster = new SolanaCluster();
  node = await SolanaNode.start(cluster);
  [collection, creator] = [await newAddress(), await newAddress()];
  gating = await GatingApp.start({
    [`RPC_URL_${DEVNET}`]: node.url,
    RPC_CACHE: 'off',
    // A list of 40,000 accounts takes a busy machine seconds to write and to read.
    RPC_TIMEOUT_MS: '10000',
  });
});

afterAll(async () => {
  await gating.stop();
  await node.stop();
});

afterEach(() => {
  node.change = (response) => response;
});

const nfts = (filter: string, keys: string, more: object = {}) => ({
  type: 'SOLANA_NFT',
  chainId: DEVNET,
  contractAddress: filter,
  tokenId: keys,
  ...more,
});
const ofCollection = (more: object = {}) => nfts('collection', collection, more);

it('checkRoles: metadata that a Token-2022 mint holds itself is read, and not that of another account', async () => {
  const owner = await newAddress();
  const uri = 'data:application/json,{"hat":"red"}';
  const mint = await writeMintWithMetadata(cluster, owner, { uri });
  const elsewhere = await writeMintWithMetadata(cluster, owner, { uri, pointsTo: await newAddress() });
  const red = { requiresMetadata: true, query: "hat = 'red'" };
  expect(await gating.granted(owner, nfts('mint', mint, red))).toEqual([true]);
  expect(await gating.granted(owner, nfts('mint', mint, { ...red, query: "hat = 'blue'" }))).toEqual([false]);
  const { body } = await gating.check(
    { account: owner, rules: [nfts('mint', elsewhere, red)] },
    { Prefer: 'handling=lenient' },
  );
  expect(body).toMatchObject({ roles: [{ granted: false }], errors: [{ name: 'NoContractError' }] });
});

it('checkRoles: metadata of a Token-2022 mint is read up to 8,192 bytes, and is an error behind them', async () => {
  const owner = await newAddress();
  const uri = `data:application/json,{"hat":"red","image":"${'A'.repeat(3_000)}"}`;
  const [near, far] = [
    await writeMintWithMetadata(cluster, owner, { uri, bytesBefore: 4_500 }),
    await writeMintWithMetadata(cluster, owner, { uri, bytesBefore: 6_000 }),
  ];
  const red = { requiresMetadata: true, query: "hat = 'red'" };
  expect(await gating.granted(owner, nfts('mint', near, red))).toEqual([true]);
  const { body } = await gating.check(
    { account: owner, rules: [nfts('mint', far, red)] },
    { Prefer: 'handling=lenient' },
  );
  expect(body).toMatchObject({
    roles: [{ granted: false }],
    errors: [
      { retryable: false, message: expect.stringContaining('beyond its first 8192 bytes') as unknown },
    ],
  });
});

describe('NFTs of Solana', () => {
  it('NFTs of Solana: count by collection, creator and mint, where the programs have verified it', async () => {
    const owner = await newAddress();
    const [claimed, other] = [await newAddress(), await newAddress()];
    const mint = await writeNft(cluster, {
      owner,
      collection: { key: collection, verified: true },
      creators: [
        { address: creator, verified: true, share: 60 },
        { address: claimed, verified: false, share: 40 },
      ],
    });
    await writeNft(cluster, { owner, collection: { key: other, verified: false } });
    const granted = await gating.granted(
      owner,
      ofCollection(),
      ofCollection({ minToken: '2' }),
      ofCollection({ minToken: '0', maxToken: '0' }),
      nfts('collection', other),
      nfts('creators', creator),
      nfts('creators', claimed),
      nfts('creators', `${claimed},${creator}`),
      nfts('mint', mint),
      nfts('mint', other),
      { asset: `${DEVNET_CAIP_2}/nft:${mint}` },
    );
    expect(granted).toEqual([true, false, false, false, true, false, true, true, false, true]);
    const explained = await gating.explained(
      owner,
      ...[
        ofCollection({ minToken: '0', maxToken: '0' }),
        ofCollection({ minToken: '2' }),
        nfts('mint', other),
      ],
    );
    expect(explained).toEqual(['above_maximum 1', 'below_minimum 1', 'no_token_id 0']);
    expect(await gating.granted(await newAddress(), ofCollection(), nfts('mint', mint))).toEqual([
      false,
      false,
    ]);
  });

  it('NFTs of Solana: count each mint once, frozen ones included, and no token that can be split', async () => {
    const owner = await newAddress();
    const verified = { key: collection, verified: true };
    const mint = await writeNft(cluster, { owner, collection: verified, isFrozen: true });
    await writeTokenAccount(cluster, { mint, owner, amount: 1n });
    await writeNft(cluster, { owner, collection: verified, amount: 2n });
    await writeNft(cluster, { owner, collection: verified, decimals: 1 });
    await writeNft(cluster, { owner, collection: verified, metadataMint: mint });
    expect(await gating.granted(owner, ofCollection(), ofCollection({ minToken: '2' }))).toEqual([
      true,
      false,
    ]);
  });

  it('NFTs of Solana: count by the group of a Token-2022 mint that is stored in the mint', async () => {
    const owner = await newAddress();
    const [group, elsewhere] = [await newAddress(), await newAddress()];
    await writeGroupMember(cluster, owner, { group });
    await writeGroupMember(cluster, owner, { group, pointsTo: elsewhere });
    await writeGroupMember(cluster, owner, { group, member: elsewhere });
    const rules = [
      nfts('collection', group),
      nfts('collection', group, { minToken: '2' }),
      nfts('creators', group),
    ];
    expect(await gating.granted(owner, ...rules)).toEqual([true, false, false]);
  });

  it('NFTs of Solana: are counted to the end where it matters', async () => {
    const owner = await newAddress();
    const count = 250;
    for (let index = 0; index < count; index += 1)
      await writeNft(cluster, { owner, collection: { key: collection, verified: true } });
    const granted = await gating.granted(
      owner,
      ofCollection({ minToken: String(count) }),
      ofCollection({ minToken: String(count + 1) }),
      ofCollection({ minToken: '0', maxToken: String(count - 1) }),
    );
    expect(granted).toEqual([true, false, false]);
  });

  it('NFTs of Solana: count by their metadata', async () => {
    const owner = await newAddress();
    for (const level of [1, 5, 9])
      await writeNft(cluster, {
        owner,
        collection: { key: collection, verified: true },
        uri: `data:application/json,${encodeURIComponent(JSON.stringify({ level }))}`,
      });
    const above = (level: number, minToken: string) =>
      ofCollection({
        requiresMetadata: true,
        query: 'level > $least',
        variables: { least: level },
        minToken,
      });
    expect(await gating.granted(owner, above(4, '2'), above(5, '2'), above(8, '1'))).toEqual([
      true,
      false,
      true,
    ]);
  });

  it.each([
    ['than are read', 10_001],
    ['than fit the longest response of a node', 40_000],
  ])(
    'NFTs of Solana: are undetermined where the owner has more token accounts %s, and only there',
    async (_, length) => {
      const owner = await newAddress();
      await writeNft(cluster, { owner, collection: { key: collection, verified: true } });
      const { context, value } = await listOf(owner);
      const result = { context, value: Array.from({ length }, () => value[0]) };
      node.change = (response, { method, params }) =>
        method === 'getTokenAccountsByOwner' && params[0] === owner ? { ...response, result } : response;
      expect(await gating.check({ account: owner, rules: [ofCollection()] })).toMatchObject({
        status: 200,
        body: {
          roles: [{ granted: false }],
          errors: [{ name: 'RuleReadLimitExceededError', retryable: false }],
        },
      });
      expect(await gating.granted(await newAddress(), ofCollection())).toEqual([false]);
    },
  );

  it.each<[string, object, string]>([
    ['an unknown filter', { contractAddress: 'owner' }, 'rules.0.contractAddress'],
    ['no key', { tokenId: undefined }, 'rules.0.tokenId'],
    ['a key that is no address', { tokenId: '42' }, 'rules.0.tokenId'],
    ['a chain that is no cluster', { chainId: 1 }, 'rules.0.chainId'],
    ['half an NFT', { minToken: '0.5' }, 'rules.0.minToken'],
  ])('NFTs of Solana: are refused with %s', async (_, more, path) => {
    const { status, body } = await gating.check({
      account: creator,
      rules: [{ ...ofCollection(), ...more }],
    });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [expect.objectContaining({ path })] } } },
    });
  });

  // Last, because a node that lies is not asked again for a while.
  it.each<[string, string]>([
    ['accounts of another owner', 'data'],
    ['accounts of another program', 'program'],
  ])('T96: NFTs of Solana: grant nothing by %s, which a node lists', async (_, lie) => {
    const owner = await newAddress();
    const other = await newAddress();
    await writeNft(cluster, { owner: other, collection: { key: collection, verified: true } });
    const stolen = await listOf(other);
    node.change = (response, { method }) =>
      method === 'getTokenAccountsByOwner'
        ? { ...response, result: lie === 'data' ? stolen : ofAnotherProgram(stolen) }
        : response;
    expect(
      (await gating.check({ account: lie === 'data' ? owner : other, rules: [ofCollection()] })).status,
    ).toBe(503);
  });
});

interface TokenAccountList {
  readonly context: object;
  readonly value: readonly { readonly account: object }[];
}

/** What the node lists for an owner. */
async function listOf(owner: string): Promise<TokenAccountList> {
  const programId = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  const options = { encoding: 'base64', dataSlice: { offset: 0, length: 72 } };
  const params = [owner, { programId }, options];
  const response = await fetch(node.url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getTokenAccountsByOwner', params }),
  });
  return ((await response.json()) as { result: TokenAccountList }).result;
}

const ofAnotherProgram = ({ context, value }: TokenAccountList): TokenAccountList => ({
  context,
  value: value.map(({ account, ...rest }) => ({
    ...rest,
    account: { ...account, owner: '11111111111111111111111111111111' },
  })),
});
