import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from '@solana/kit';
import { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { DasIndexer } from '../support/das-indexer.js';
import { newAddress, writeCoreAsset, writeNft } from '../support/solana-nfts.js';
import { SolanaNode } from '../support/solana-node.js';
import { GatingApp } from './gating-app.js';

const DEVNET = 8_000_000_000_103;
const DEVNET_CAIP_2 = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';

let cluster: SolanaCluster;
let node: SolanaNode;
let collection: Address;
let creator: Address;

beforeAll(async () => {
  cluster = new SolanaCluster();
  node = await SolanaNode.start(cluster);
  [collection, creator] = [await newAddress(), await newAddress()];
});

afterAll(() => node.stop());

const nfts = (filter: string, keys: string, more: object = {}) => ({
  type: 'SOLANA_NFT',
  chainId: DEVNET,
  contractAddress: filter,
  tokenId: keys,
  ...more,
});
const assetList = async (gating: GatingApp, owner: string, asset: string) =>
  (
    await gating.request(
      'GET',
      `/asset-list/${owner}?assets=${encodeURIComponent(`${DEVNET_CAIP_2}/nft:${asset}`)}`,
    )
  ).body;

describe('assets of Metaplex Core, read from nodes', () => {
  let gating: GatingApp;

  beforeAll(async () => {
    const env = { [`RPC_URL_${DEVNET}`]: node.url, RPC_CACHE: 'off', [`SOLANA_CORE_${DEVNET}`]: 'rpc' };
    gating = await GatingApp.start(env);
  });

  afterAll(() => gating.stop());

  it('assets of Metaplex Core, read from nodes: count beside NFTs of the token programs, by verified creators and their collection', async () => {
    const [owner, claimed] = [await newAddress(), await newAddress()];
    const creators = [
      { address: creator, verified: true },
      { address: claimed, verified: false },
    ];
    const asset = await writeCoreAsset(cluster, { owner, collection, creators });
    await writeCoreAsset(cluster, { owner: claimed, collection });
    await writeNft(cluster, { owner, collection: { key: collection, verified: true } });
    const granted = await gating.granted(
      owner,
      nfts('collection', collection, { minToken: '2' }),
      nfts('collection', collection, { minToken: '3' }),
      nfts('creators', creator),
      nfts('creators', claimed),
      nfts('mint', asset),
    );
    expect(granted).toEqual([true, false, true, false, true]);
    expect(await assetList(gating, owner, asset)).toMatchObject([{ balance: '1', tokens: [{ id: asset }] }]);
    expect(await assetList(gating, claimed, asset)).toMatchObject([{ balance: '0', tokens: [] }]);
  });

  it('T97: assets of Metaplex Core, read from nodes: grant nothing when a node lists those of another owner', async () => {
    const [owner, other] = [await newAddress(), await newAddress()];
    await writeCoreAsset(cluster, { owner: other, collection });
    const stolen = await listCoreAssets(other);
    node.change = (response, { method }) =>
      method === 'getProgramAccounts' ? { ...response, result: stolen } : response;
    const { status } = await gating.check({ account: owner, rules: [nfts('collection', collection)] });
    node.change = (response) => response;
    expect(status).toBe(503);
  });
});

describe('assets of an indexer', () => {
  let indexer: DasIndexer;
  let gating: GatingApp;

  beforeAll(async () => {
    indexer = await DasIndexer.start();
    gating = await GatingApp.start({
      [`RPC_URL_${DEVNET}`]: node.url,
      RPC_CACHE: 'off',
      [`DAS_URL_${DEVNET}`]: indexer.url,
      DAS_REQUESTS_PER_MINUTE: '60000',
      CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
    });
  });

  afterAll(async () => {
    await gating.stop();
    await indexer.stop();
  });

  afterEach(() => {
    indexer.list = () => [];
  });

  const inCollection = { group_key: 'collection', group_value: '' };
  const toItem = (owner: string, id: string, more: object = {}) => ({
    ...{ id, interface: 'MplCoreAsset', ownership: { owner }, burnt: false },
    grouping: [{ ...inCollection, group_value: collection }],
    creators: [{ address: creator, verified: true, share: 100 }],
    ...more,
  });

  it('count over all pages: Core and compressed ones, without burnt and unverified ones', async () => {
    const owner = await newAddress();
    const ids = await Promise.all(Array.from({ length: 501 }, () => newAddress()));
    const unverified = [{ ...inCollection, group_value: collection, verified: false }];
    const others = [
      toItem(owner, await newAddress(), { burnt: true }),
      toItem(owner, await newAddress(), { grouping: unverified, creators: [] }),
      toItem(owner, await newAddress(), { interface: 'V1_NFT' }),
      toItem(owner, String(ids[0])),
    ];
    const compressed = { interface: 'V1_NFT', compression: { compressed: true } };
    const items = ids.map((id, index) => toItem(owner, id, index % 2 === 0 ? {} : compressed));
    indexer.list = (asked) => (asked === owner ? [...others, ...items] : []);
    const granted = await gating.granted(
      owner,
      nfts('collection', collection, { minToken: '501' }),
      nfts('collection', collection, { minToken: '502' }),
      nfts('creators', creator, { minToken: '501' }),
      nfts('mint', String(ids[7])),
    );
    expect(granted).toEqual([true, false, true, true]);
    expect(await assetList(gating, owner, String(ids[7]))).toMatchObject([{ balance: '1' }]);
  });

  it('assets of an indexer: count once when the indexer still lists one that is a token by now', async () => {
    const owner = await newAddress();
    const mint = await writeNft(cluster, { owner, collection: { key: collection, verified: true } });
    indexer.list = () => [toItem(owner, mint, { interface: 'V1_NFT', compression: { compressed: true } })];
    const two = { minToken: '2' };
    expect(await gating.granted(owner, nfts('mint', mint), nfts('mint', mint, two))).toEqual([true, false]);
    expect(await gating.granted(owner, nfts('collection', collection, two))).toEqual([false]);
  });

  it('assets of an indexer: are not asked for where the token programs decide', async () => {
    const owner = await newAddress();
    await writeNft(cluster, { owner, collection: { key: collection, verified: true } });
    const before = indexer.requests;
    expect(await gating.granted(owner, nfts('collection', collection))).toEqual([true]);
    expect(indexer.requests).toBe(before);
  });

  it('T98: assets of an indexer: grant nothing when the indexer lists those of another owner', async () => {
    const [owner, other] = [await newAddress(), await newAddress()];
    indexer.list = () => [toItem(other, creator)];
    const { status, body } = await gating.check({ account: owner, rules: [nfts('collection', collection)] });
    expect(status).toBe(503);
    expect(body).toMatchObject({
      error: { details: { errors: [{ name: 'MalformedIndexerAnswerError', retryable: true }] } },
    });
  });
});

/** What the node lists for an owner. */
async function listCoreAssets(owner: string): Promise<unknown> {
  const filters = [{ memcmp: { offset: 1, bytes: owner } }];
  const params = [
    'CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d',
    { encoding: 'base64', filters, withContext: true },
  ];
  const response = await fetch(node.url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getProgramAccounts', params }),
  });
  return ((await response.json()) as { result: unknown }).result;
}
