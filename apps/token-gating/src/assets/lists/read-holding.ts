import { createSafeOwnerRead } from '@app/chain/evm';
import type { AssetRule, SafeRule } from '@app/dto';
import type { Chain } from '../../rules/chains/chain.service.js';
import type { AssetReader } from './asset-reader.js';
import type { Holding } from './holding.js';
import { readCoin, readErc20, readSolanaToken } from './read-fungible.js';
import { type CollectionSources, readErc1155, readErc721 } from './read-nfts.js';
import { type NftSources, readSolanaNft } from './read-solana-nft.js';

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
