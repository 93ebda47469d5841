import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from '@solana/kit';
import type { Address as EvmAddress } from 'viem';
import type { DeployedContract } from '../support/local-chain.js';
import type { SolanaNode } from '../support/solana-node.js';
import { DEVNET_CAIP_2, DOWN_CHAIN, startAssetWorld } from './asset-world.js';
import type { Answer } from './gating-app.js';
import { asClient, type RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const MAX_TOKENS = 100;
const LONG_ID = 2n ** 256n - 1n;
const URI = 'https://example.com/{id}.json';
const lenient = { Prefer: 'handling=lenient' };

let world: RolesWorld;
let cluster: SolanaNode;
let plain: DeployedContract;
let enumerable: DeployedContract;
let liar: DeployedContract;
let multi: DeployedContract;
let reverting: DeployedContract;
let mint: Address;
let solanaOwner: Address;
let holder: EvmAddress;
let whale: EvmAddress;

beforeAll(async () => {
  ({ world, cluster, mint, solanaOwner } = await startAssetWorld(1_500_000n));
  const { chain } = world.gated;
  plain = await chain.deploy('DemoERC721', ['Demo', 'NFT']);
  enumerable = await chain.deploy('EnumerableERC721', [URI]);
  liar = await chain.deploy('EnumerableERC721', [URI]);
  multi = await chain.deploy('DemoERC1155');
  reverting = await chain.deploy('Reverting', [0, 'no']);
  holder = (await world.wallet(1_500_000_000_000_000_000n)) as EvmAddress;
  whale = (await world.wallet()) as EvmAddress;
  await chain.mint(plain, holder, LONG_ID);
  await chain.mint(multi, holder, LONG_ID, 3n);
  await chain.send(enumerable, 'mint', [holder, LONG_ID - 3n, 2n]);
  await chain.send(enumerable, 'mint', [whale, 1_000n, 101n]);
});

afterAll(async () => {
  await world.stop();
  await cluster.stop();
});

const erc20 = () => `eip155:${world.chainId}/erc20:${world.token.address}`;
const nft = ({ address }: DeployedContract, id?: bigint) =>
  `eip155:${world.chainId}/erc721:${address}${id === undefined ? '' : `/${id}`}`;
const erc1155 = (id: bigint) => `eip155:${world.chainId}/erc1155:${multi.address}/${id}`;
const onDownChain = `eip155:${DOWN_CHAIN}/slip44:60`;

function list(account: string, assets: readonly string[], headers = {}): Promise<Answer> {
  const query = assets.map((asset) => `assets=${encodeURIComponent(asset)}`).join('&');
  return world.gating.request(
    'GET',
    `/asset-list/${account}?${query}`,
    undefined,
    headers,
    asClient('client_1'),
  );
}
const itemsOf = async (account: string, ...assets: string[]) => (await list(account, assets)).body;
const listOne = async (account: string, asset: string) => {
  const [item] = (await itemsOf(account, asset)) as { balance: string; tokens?: { id: string }[] }[];
  return item;
};

describe('asset list', () => {
  it('asset list: has balances in whole tokens and exact ids, in the order asked', async () => {
    const assets = [
      nft(plain, LONG_ID),
      erc20(),
      erc1155(LONG_ID),
      nft(plain, 1n),
      `eip155:${world.chainId}/slip44:60`,
    ];
    const token = (balance: string) => ({ id: LONG_ID.toString(), balance });
    expect(await itemsOf(holder, ...assets)).toEqual([
      { asset: assets[0], balance: '1', tokens: [token('1')] },
      { asset: assets[1], balance: '1.5' },
      { asset: assets[2], balance: '3', tokens: [token('3')] },
      { asset: assets[3], balance: '0', tokens: [] },
      { asset: assets[4], balance: '0' },
    ]);
  });

  it('asset list: has the ids and URIs of an enumerable contract, and none of one that does not enumerate', async () => {
    const token = (id: bigint) => ({ id: id.toString(), balance: '1', uri: URI });
    expect(await itemsOf(holder, nft(enumerable), nft(plain))).toEqual([
      { asset: nft(enumerable), balance: '2', tokens: [token(LONG_ID - 3n), token(LONG_ID - 2n)] },
      { asset: nft(plain), balance: '1' },
    ]);
  });

  it('asset list: has the metadata of data URIs, and no URI of another scheme is loaded', async () => {
    const { chain } = world.gated;
    const document = { name: '<svg onload=alert(1)>', traits: [{ deep: { er: 1 } }] };
    const uris = [
      `data:application/json;base64,${Buffer.from(JSON.stringify(document)).toString('base64')}`,
      'data:application/json,[1]',
      'javascript:alert(1)',
      'file:///etc/passwd',
      `data:application/json,${'x'.repeat(3_000)}`,
    ];
    const tokens: unknown[] = [];
    for (const [index, uri] of uris.entries()) {
      const contract = await chain.deploy('EnumerableERC721', [uri]);
      await chain.send(contract, 'mint', [whale, BigInt(index), 1n]);
      const item = await listOne(whale, nft(contract, BigInt(index)));
      tokens.push(item?.tokens?.[0]);
    }
    const token = (index: number) => ({ id: String(index), balance: '1', uri: uris[index] });
    expect(tokens).toEqual([
      { ...token(0), metadata: document },
      token(1),
      token(2),
      token(3),
      { id: '4', balance: '1' },
    ]);
  });

  it('asset list: has the first 100 tokens', async () => {
    const item = await listOne(whale, nft(enumerable));
    expect(item?.balance).toBe('101');
    expect(item?.tokens?.map(({ id }) => id)).toEqual(
      Array.from({ length: MAX_TOKENS }, (_, index) => String(1_000 + index)),
    );
  });

  it('asset list of 50 assets: takes three calls to the node', async () => {
    const assets = Array.from({ length: 50 }, (_, index) =>
      index % 2 ? nft(enumerable) : nft(enumerable, LONG_ID - 3n),
    );
    const calls = world.gated.node.count('eth_call');
    expect(await itemsOf(holder, ...assets)).toHaveLength(50);
    expect(world.gated.node.count('eth_call') - calls).toBeLessThanOrEqual(3);
  });

  it('T92: asset list: reads no more than 100 tokens of a contract that claims 2^255, and trusts no repeated ids', async () => {
    const { chain, node } = world.gated;
    await chain.send(liar, 'mint', [holder, 1n, 2n]);
    await chain.send(liar, 'lie', [2n ** 255n, true]);
    const calls = node.count('eth_call');
    expect(await listOne(holder, nft(liar))).toEqual({ asset: nft(liar), balance: (2n ** 255n).toString() });
    expect(node.count('eth_call') - calls).toBeLessThanOrEqual(3);
    await chain.send(liar, 'lie', [3n, false]);
    expect(await listOne(holder, nft(liar))).toEqual({ asset: nft(liar), balance: '3' });
  });

  it('asset list of a user id: sums all its wallets', async () => {
    world.book.set('user_owner', eoa(whale), eoa(holder));
    world.book.grant('user_owner', 'client_1');
    expect(await listOne('user_owner', erc20())).toMatchObject({ balance: '1.5' });
    expect((await listOne('user_owner', nft(enumerable)))?.balance).toBe('103');
  });

  it('asset list: covers Solana, and accounts of the other family hold nothing', async () => {
    const token = `${DEVNET_CAIP_2}/token:${mint}`;
    expect(await itemsOf(solanaOwner, token, nft(plain))).toEqual([
      { asset: token, balance: '1.5' },
      { asset: nft(plain), balance: '0', tokens: [] },
    ]);
  });

  it('asset list without assets: has the watched ones above zero', async () => {
    await world.gated.chain.setNativeBalance(holder, 2n * 10n ** 18n);
    expect(await itemsOf(holder)).toEqual([{ asset: `eip155:${world.chainId}/slip44:60`, balance: '2' }]);
    expect(await itemsOf('0x00000000000000000000000000000000000000a1')).toEqual([]);
  });

  it('asset list: has errors instead of a balance where a contract fails', async () => {
    const failing = `eip155:${world.chainId}/erc20:${reverting.address}`;
    const error = { name: 'ContractRevertedError', message: expect.any(String), retryable: false };
    expect(await itemsOf(holder, failing, erc20())).toEqual([
      { asset: failing, errors: [error] },
      { asset: erc20(), balance: '1.5' },
    ]);
  });

  it('asset list: is 503 while a node is down, or has errors with lenient handling', async () => {
    const strict = await list(holder, [erc20(), onDownChain]);
    expect(strict.status).toBe(503);
    expect(strict.headers.get('retry-after')).toBe('5');
    expect(strict.body).toMatchObject({
      error: {
        details: { code: 'assets_unavailable', errors: [{ asset: onDownChain, index: 1, retryable: true }] },
      },
    });
    expect(await list(holder, [erc20(), onDownChain], lenient)).toMatchObject({
      status: 200,
      body: [
        { asset: erc20(), balance: '1.5' },
        { asset: onDownChain, errors: [{ retryable: true }] },
      ],
    });
  });

  it('asset list: is 400 for more than 50 assets', async () => {
    expect((await list(holder, Array.from({ length: 51 }, erc20))).status).toBe(400);
  });
});
