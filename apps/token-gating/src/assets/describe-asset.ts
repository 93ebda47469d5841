import { type AssetId, iterateTokenIds, type TokenIdSource } from '@app/dto';
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
export function describeAsset(
  { id, rule }: AssetId,
  chains: Pick<ChainService, 'find'>,
  symbol?: string,
): string {
  switch (rule.type) {
    case 'NATIVE':
      return chains.find(rule.chainId)?.nativeSymbol ?? 'Coins';
    case 'ERC20':
    case 'SOLANA_FT':
      return symbol ?? `Token ${shortenAddress(rule.contractAddress)}`;
    case 'ERC721':
    case 'ERC1155':
      return `${symbol ?? `NFT ${shortenAddress(rule.contractAddress)}`}${formatTokenId(rule.tokenId)}`;
    case 'SOLANA_NFT':
      return `NFT ${shortenAddress(id.slice(id.lastIndexOf(':') + 1))}`;
    case 'gnosis':
      return `Safe ${shortenAddress(rule.contractAddress)}`;
  }
}

/** An asset names one token id at most. */
function formatTokenId(source: TokenIdSource | undefined): string {
  if (!source || 'url' in source) return '';
  const [id] = iterateTokenIds(source);
  return id === undefined ? '' : ` #${id.toString()}`;
}
