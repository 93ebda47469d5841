import { type AssetId, iterateTokenIds } from '@app/dto';
import type { ChainService } from '../rules/chains/chain.service.js';

const SHORT_HEAD = 6;
const SHORT_TAIL = 4;

/** An address as people compare it: `0x1234…abcd`. */
const shortenAddress = (address: string): string =>
  `${address.slice(0, SHORT_HEAD)}…${address.slice(-SHORT_TAIL)}`;

/** The name of a chain; its number where this deployment does not know it any more. */
export const nameChain = (chainId: number, chains: Pick<ChainService, 'find'>): string =>
  chains.find(chainId)?.name ?? `chain ${String(chainId)}`;

/** An asset for people, without its chain. @param symbol of its contract, where it is known */
export function describeAsset(asset: AssetId, chains: Pick<ChainService, 'find'>, symbol?: string): string {
  const { id, rule } = asset;
  switch (rule.type) {
    case 'NATIVE':
      return chains.find(rule.chainId)?.nativeSymbol ?? 'Coins';
    case 'ERC20':
    case 'SOLANA_FT':
      return symbol ?? `Token ${shortenAddress(rule.contractAddress)}`;
    case 'ERC721':
    case 'ERC1155':
      return `${symbol ?? `NFT ${shortenAddress(rule.contractAddress)}`}${formatTokenId(asset)}`;
    case 'SOLANA_NFT':
      return `NFT ${shortenAddress(id.slice(id.lastIndexOf(':') + 1))}`;
    case 'gnosis':
      return `Safe ${shortenAddress(rule.contractAddress)}`;
  }
}

function formatTokenId(asset: AssetId): string {
  const id = getTokenId(asset);
  return id === undefined ? '' : ` #${id.toString()}`;
}

/** An asset names one token id at most. */
export function getTokenId({ rule }: AssetId): bigint | undefined {
  if (!('tokenId' in rule) || !rule.tokenId || 'url' in rule.tokenId || !('ranges' in rule.tokenId))
    return undefined;
  const [id] = iterateTokenIds(rule.tokenId);
  return id;
}
