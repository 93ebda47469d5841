import type { Hex } from 'viem';
import { getMintedTokenAddress, MINT_DECIMALS, type MintedToken } from './encode-mint.js';
import type { MintRequest, MintResponse } from './mint.dto.js';

/** Describes a token whose operation was accepted. Its address is known before it is deployed. */
export function toMintResponse(
  token: MintedToken,
  metadata: MintRequest['metadata'],
  operation: { readonly userOperationHash: Hex; readonly chainId: number },
): MintResponse {
  const { name, symbol } = token;
  const fungible = {
    object: 'fungible' as const,
    name,
    symbol,
    // Existing clients send empty text for what a token does not have.
    media: [metadata.image, metadata.media].find((url) => url !== undefined && url !== '') ?? '',
    address: getMintedTokenAddress(token),
    decimals: MINT_DECIMALS,
    metadata,
  };
  return { response: { contract: { fungible }, ...operation } };
}
