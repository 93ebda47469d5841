import {
  createErc20BalanceRead,
  createErc20DecimalsRead,
  createNativeBalanceRead,
  createSafeOwnerRead,
} from '@app/chain/evm';
import {
  createCoreAssetsRead,
  createLamportsRead,
  createMintDecimalsRead,
  createNftRead,
  createSingleUnitReads,
  createTokenBalanceRead,
  type SolanaNft,
} from '@app/chain/solana';
import {
  type AssetRule,
  type Erc20Rule,
  formatUnits,
  isSolanaChain,
  type NativeRule,
  type SafeRule,
  type SolanaFtRule,
  type SolanaNftRule,
} from '@app/dto';
import type { Chain, ChainRead } from '../../rules/chains/chain.service.js';
import { RULE_READ_LIMIT_EXCEEDED } from '../../rules/rule-failures.js';
import type { RuleServices } from '../../rules/rule-services.js';
import { type AssetReader, AssetReadError, type Holding } from './asset-reader.js';
import { type CollectionSources, readErc1155, readErc721 } from './read-nfts.js';

type NftSources = Pick<RuleServices, 'solanaCore' | 'dasAssets'>;

/** Three rounds at most: what the owners hold, and the NFT or their Core assets. An asset names one mint. */
async function readSolanaNft(
  { chainId, tokenId: [mint = ''] }: SolanaNftRule,
  owners: readonly string[],
  reader: AssetReader,
  sources: NftSources,
): Promise<Holding> {
  const lists = await reader.readAll(owners.flatMap(createSingleUnitReads));
  const isHeld = lists.some((mints) => mints?.includes(mint));
  const nft = isHeld
    ? await reader.readOne(createNftRead(mint))
    : (await readCoreAssets(chainId, owners, reader, sources)).find((asset) => asset.mint === mint);
  if (nft) {
    const uri = nft.uri === undefined ? {} : { uri: nft.uri };
    return { balance: '1', tokens: [{ id: mint, balance: '1', ...uri }] };
  }
  if (!isHeld && lists.includes(null)) throw new AssetReadError(RULE_READ_LIMIT_EXCEEDED);
  return { balance: '0', tokens: [] };
}

async function readCoreAssets(
  chainId: number,
  owners: readonly string[],
  reader: AssetReader,
  { solanaCore, dasAssets }: NftSources,
): Promise<readonly SolanaNft[]> {
  const source = solanaCore.sources.get(chainId);
  if (!source) return [];
  if (source.mode === 'rpc') {
    const lists = await reader.readAll(owners.map(createCoreAssetsRead));
    if (lists.includes(null)) throw new AssetReadError(RULE_READ_LIMIT_EXCEEDED);
    return lists.flatMap((nfts) => nfts ?? []);
  }
  const lists = await Promise.all(owners.map((owner) => dasAssets.list(source.url, owner, reader.request)));
  return lists.flatMap((list) => {
    if ('code' in list) throw new AssetReadError(list);
    return list.nfts;
  });
}

async function readCoin(
  { chainId }: NativeRule,
  addresses: readonly string[],
  reader: AssetReader,
  { nativeDecimals }: Chain,
): Promise<Holding> {
  const createRead: (address: string) => ChainRead<bigint> = isSolanaChain(chainId)
    ? createLamportsRead
    : createNativeBalanceRead;
  return { balance: formatUnits(await reader.sum(addresses.map(createRead)), nativeDecimals) };
}

function readErc20(
  { contractAddress }: Erc20Rule,
  addresses: readonly string[],
  reader: AssetReader,
): Promise<Holding> {
  const balances = addresses.map((address) => createErc20BalanceRead(contractAddress, address));
  return readToken(createErc20DecimalsRead(contractAddress), balances, reader);
}

function readSolanaToken(
  { contractAddress: mint }: SolanaFtRule,
  addresses: readonly string[],
  reader: AssetReader,
): Promise<Holding> {
  const balances = addresses.map((owner) => createTokenBalanceRead(mint, owner));
  return readToken(createMintDecimalsRead(mint), balances, reader);
}

async function readToken(
  decimalsRead: ChainRead<number>,
  balances: readonly ChainRead<bigint>[],
  reader: AssetReader,
): Promise<Holding> {
  const [decimals, balance] = await Promise.all([reader.readOne(decimalsRead), reader.sum(balances)]);
  return { balance: formatUnits(balance, decimals) };
}

export type HoldingSources = NftSources & CollectionSources;

/** @param addresses at least one. @throws AssetReadError */
export async function readHolding(
  asset: AssetRule,
  addresses: readonly string[],
  reader: AssetReader,
  chain: Chain,
  sources: HoldingSources,
): Promise<Holding> {
  switch (asset.type) {
    case 'NATIVE':
      return readCoin(asset, addresses, reader, chain);
    case 'ERC20':
      return readErc20(asset, addresses, reader);
    case 'SOLANA_FT':
      return readSolanaToken(asset, addresses, reader);
    case 'SOLANA_NFT':
      return readSolanaNft(asset, addresses, reader, sources);
    case 'ERC721':
      return readErc721(asset, addresses, reader, sources);
    case 'ERC1155':
      return readErc1155(asset, addresses, reader);
    case 'gnosis':
      return readSafe(asset, addresses, reader);
  }
}

/** A Safe counts once, however many of the addresses are its owners. */
async function readSafe(
  { contractAddress }: SafeRule,
  addresses: readonly string[],
  reader: AssetReader,
): Promise<Holding> {
  const owned = await reader.sum(addresses.map((address) => createSafeOwnerRead(contractAddress, address)));
  return { balance: owned > 0n ? '1' : '0' };
}
