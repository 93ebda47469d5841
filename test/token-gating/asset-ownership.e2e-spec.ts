import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from '@solana/kit';
import type { Address as EvmAddress } from 'viem';
import type { DeployedContract } from '../support/local-chain.js';
import type { SolanaNode } from '../support/solana-node.js';
import { DEVNET_CAIP_2, DOWN_CHAIN, startAssetWorld } from './asset-world.js';
import type { Answer } from './gating-app.js';
import { asClient, type RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const LONG_ID = 2n ** 256n - 1n;
const lenient = { Prefer: 'handling=lenient' };

let world: RolesWorld;
let cluster: SolanaNode;
let nfts: DeployedContract;
let multi: DeployedContract;
let reverting: DeployedContract;
let mint: Address;
let solanaOwner: Address;
let holder: string;

beforeAll(async () => {
  ({ world, cluster, mint, solanaOwner } = await startAssetWorld(1n));
  const { chain } = world.gated;
  nfts = await chain.deploy('DemoERC721', ['Demo', 'NFT']);
  multi = await chain.deploy('DemoERC1155');
  reverting = await chain.deploy('Reverting', [0, 'no']);
  holder = await world.wallet(1n);
  await chain.mint(nfts, holder as EvmAddress, LONG_ID);
  await chain.mint(multi, holder as EvmAddress, 7n, 3n);
});

afterAll(async () => {
  await world.stop();
  await cluster.stop();
});

const erc20 = () => `eip155:${world.chainId}/erc20:${world.token.address}`;
const nft = (id?: bigint) =>
  `eip155:${world.chainId}/erc721:${nfts.address}${id === undefined ? '' : `/${id}`}`;
const erc1155 = (id: bigint) => `eip155:${world.chainId}/erc1155:${multi.address}/${id}`;
const onDownChain = `eip155:${DOWN_CHAIN}/slip44:60`;

function ask(
  account: string,
  assets: readonly string[],
  headers = {},
  as = asClient('client_1'),
): Promise<Answer> {
  const query = assets.map((asset) => `assets=${encodeURIComponent(asset)}`).join('&');
  return world.gating.request('GET', `/asset-ownership/${account}?${query}`, undefined, headers, as);
}

describe('asset ownership', () => {
  it('asset ownership: is determined in the order asked, for one unit and more, by one call to the node', async () => {
    const assets = [
      erc20(),
      nft(),
      nft(LONG_ID),
      nft(1n),
      erc1155(7n),
      erc1155(8n),
      `eip155:${world.chainId}/slip44:60`,
    ];
    await ask(holder, assets);
    const calls = world.gated.node.count('eth_call');
    const { status, body } = await ask(holder, assets);
    expect(status).toBe(200);
    const owned = [true, true, true, false, true, false, false];
    expect(body).toEqual({ assets: assets.map((asset, index) => ({ asset, owner: owned[index] })) });
    expect(world.gated.node.count('eth_call')).toBe(calls + 1);
  });

  it('asset ownership: covers Solana tokens, and accounts of the other family own nothing', async () => {
    const assets = [`${DEVNET_CAIP_2}/token:${mint}`, `${DEVNET_CAIP_2}/slip44:501`, erc20()];
    const owners = async (account: string) =>
      ((await ask(account, assets)).body as { assets: { owner: boolean }[] }).assets.map(
        ({ owner }) => owner,
      );
    expect(await owners(solanaOwner)).toEqual([true, false, false]);
    expect(await owners(holder)).toEqual([false, false, true]);
  });

  it('asset ownership of a user id: is that of all its wallets, and 404 for clients without its permission', async () => {
    world.book.set('user_owner', eoa(await world.wallet(0n)), eoa(holder));
    expect((await ask('user_owner', [erc20()])).body).toMatchObject({
      error: { details: { code: 'account_not_found' } },
    });
    world.book.grant('user_owner', 'client_1');
    expect((await ask('user_owner', [erc20()])).body).toEqual({ assets: [{ asset: erc20(), owner: true }] });
  });

  it('asset ownership: writes CAIP-19 for the dialect', async () => {
    const { body } = await ask(holder, [erc20().replace('eip155:', 'evm:')]);
    expect(body).toEqual({ assets: [{ asset: erc20(), owner: true }] });
  });

  it('asset ownership: is in errors, and not false, where a contract fails', async () => {
    const failing = `eip155:${world.chainId}/erc20:${reverting.address}`;
    const { status, body } = await ask(holder, [failing, erc20()]);
    expect(status).toBe(200);
    expect(body).toEqual({
      assets: [{ asset: erc20(), owner: true }],
      errors: [
        {
          asset: failing,
          index: 0,
          name: 'ContractRevertedError',
          message: expect.any(String),
          retryable: false,
        },
      ],
    });
  });

  it('asset ownership: is 503 while a node is down, or in errors with lenient handling', async () => {
    const strict = await ask(holder, [erc20(), onDownChain]);
    expect(strict.status).toBe(503);
    expect(strict.headers.get('retry-after')).toBe('5');
    const errors = [expect.objectContaining({ asset: onDownChain, index: 1, retryable: true })];
    const assets = [{ asset: erc20(), owner: true }];
    expect(strict.body).toMatchObject({ error: { details: { code: 'assets_unavailable', assets, errors } } });
    const relaxed = await ask(holder, [erc20(), onDownChain], lenient);
    expect(relaxed).toMatchObject({ status: 200, body: { assets, errors } });
    expect(relaxed.headers.get('preference-applied')).toBe('handling=lenient');
  });

  it('asset ownership: is 400 with the index of a malformed asset, an unknown chain, no assets or too many', async () => {
    const issuesOf = async (...assets: string[]) => {
      const { status, body } = await ask(holder, assets);
      expect(status).toBe(400);
      return (body as { error: { details: { issues: { path: string }[] } } }).error.details.issues.map(
        ({ path }) => path,
      );
    };
    expect(await issuesOf(erc20(), 'eip155:1/erc20:0x12')).toEqual(['assets.1']);
    expect(await issuesOf(erc20(), erc20(), 'eip155:4242424242/slip44:60')).toEqual(['assets.2.chainId']);
    expect(await issuesOf()).toEqual(['assets']);
    expect(await issuesOf(...Array.from({ length: 51 }, () => erc20()))).toEqual(['assets']);
  });
});
