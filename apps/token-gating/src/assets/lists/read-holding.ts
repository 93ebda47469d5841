import type { TokenGatingRule } from '@app/dto';
import type { Chain } from '../../rules/chains/chain.service.js';
import type { AssetReader } from './asset-reader.js';
import type { Holding } from './holding.js';
import { readCoin, readErc20, readSolanaToken } from './read-fungible.js';
import { readErc1155, readErc721 } from './read-nfts.js';

/** @param addresses at least one. @throws AssetReadError */
export async function readHolding(
  asset: TokenGatingRule,
  addresses: readonly string[],
  reader: AssetReader,
  chain: Chain,
): Promise<Holding> {
  switch (asset.type) {
    case 'NATIVE':
      return readCoin(asset, addresses, reader, chain);
    case 'ERC20':
      return readErc20(asset, addresses, reader);
    case 'SOLANA_FT':
      return readSolanaToken(asset, addresses, reader);
    case 'ERC721':
      return readErc721(asset, addresses, reader);
    case 'ERC1155':
      return readErc1155(asset, addresses, reader);
  }
}
