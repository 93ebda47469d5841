import { ChainConfig } from '@app/chain/evm';
import { type AssetId, parseAssetId, toChecksumAddress } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { type Chain, ChainService } from '../../rules/chains/chain.service.js';
import { type WatchedToken, WatchedTokensConfig } from './watched-tokens.config.js';

/** The tokens that the deployment watches, and the native coins of their chains and of the local one. */
@Injectable()
export class WatchedAssets {
  /** Those with a node. */
  readonly chains: readonly Chain[];
  /** Of these chains. */
  readonly tokens: readonly WatchedToken[];
  readonly tokenAssets: readonly AssetId[];
  /** Tokens and coins. */
  readonly assets: readonly AssetId[];

  constructor(chains: ChainService, { WATCHED_TOKENS }: WatchedTokensConfig, { settings }: ChainConfig) {
    const chainIds = new Set([settings.LOCAL_CHAIN_ID, ...WATCHED_TOKENS.map(({ chainId }) => chainId)]);
    this.chains = Array.from(chainIds)
      .flatMap((chainId) => chains.find(chainId) ?? [])
      .filter(({ rpcUrls }) => rpcUrls.length > 0);
    this.tokens = WATCHED_TOKENS.filter(({ chainId }) => this.chains.some(({ id }) => id === chainId));
    this.tokenAssets = this.tokens.map(({ chainId, contractAddress }) =>
      toAsset(`eip155:${chainId}/erc20:${toChecksumAddress(contractAddress)}`),
    );
    this.assets = [...this.chains.map(({ id }) => toAsset(`eip155:${id}/slip44:60`)), ...this.tokenAssets];
  }
}

function toAsset(text: string): AssetId {
  const asset = parseAssetId(text);
  if (typeof asset === 'string') throw new Error(`WATCHED_TOKENS: ${text} ${asset}`);
  return asset;
}
