import { ChainConfig } from '@app/chain/evm';
import { type AssetId, isSolanaChain, parseAssetId, SOLANA_CLUSTERS, toChecksumAddress } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { type Chain, ChainService } from '../../rules/chains/chain.service.js';
import { listWellKnownTokens } from './list-well-known-tokens.js';
import { type WatchedToken, WatchedTokensConfig } from './watched-tokens.config.js';

/**
 * The tokens that the operators list, and the coins of their chains, of the local chain and of every Solana cluster with a node;
 * without a list the well-known tokens and the coin of every chain that has a node URL in the configuration.
 */
@Injectable()
export class WatchedAssets {
  /** Chains that have a node. */
  readonly chains: readonly Chain[];
  /** Tokens on these chains. */
  readonly tokens: readonly WatchedToken[];
  readonly tokenAssets: readonly AssetId[];
  /** Tokens and coins. */
  readonly assets: readonly AssetId[];
  /** Whether nobody said that the tokens are on the deployment's chains: a private chain may have the id of a public one. */
  readonly areWellKnown: boolean;

  constructor(chains: ChainService, { WATCHED_TOKENS }: WatchedTokensConfig, config: ChainConfig) {
    this.areWellKnown = WATCHED_TOKENS === undefined;
    const { LOCAL_CHAIN_ID } = config.settings;
    const solana = SOLANA_CLUSTERS.map(({ id }) => id);
    const listed = WATCHED_TOKENS?.map(({ chainId }) => chainId) ?? listConfiguredChains(config);
    this.chains = Array.from(new Set([LOCAL_CHAIN_ID, ...listed, ...solana]))
      .flatMap((chainId) => chains.find(chainId) ?? [])
      .filter(({ rpcUrls }) => rpcUrls.length > 0);
    this.tokens = (WATCHED_TOKENS ?? this.listWellKnown()).filter(({ chainId }) =>
      this.chains.some(({ id }) => id === chainId),
    );
    this.tokenAssets = this.tokens.map(({ chainId, contractAddress }) =>
      toAsset(
        isSolanaChain(chainId)
          ? `${toSolanaReference(chainId)}/token:${contractAddress}`
          : `eip155:${chainId}/erc20:${toChecksumAddress(contractAddress)}`,
      ),
    );
    this.assets = [...this.chains.map(({ id }) => toAsset(toCoinId(id))), ...this.tokenAssets];
  }

  /** Leaves out tokens that are the coin of their chain itself, such as CELO. */
  private listWellKnown(): WatchedToken[] {
    const coins = new Map(this.chains.map(({ id, nativeSymbol }) => [id, nativeSymbol.toUpperCase()]));
    return listWellKnownTokens()
      .filter(({ chainId, symbol }) => coins.get(chainId) !== symbol.toUpperCase())
      .map(({ symbol, ...token }) => ({ ...token, cashtag: `$${symbol}` }));
  }
}

/** The chains for which the operators configured nodes. Public nodes are for the chains of rules only. */
const listConfiguredChains = ({ rpcUrls, settings }: ChainConfig): number[] => [
  ...rpcUrls.keys(),
  ...settings.CHAINS.filter((chain) => chain.rpcUrls !== undefined).map(({ id }) => id),
];

const toCoinId = (chainId: number): string =>
  isSolanaChain(chainId) ? `${toSolanaReference(chainId)}/slip44:501` : `eip155:${chainId}/slip44:60`;

/** CAIP-2. */
function toSolanaReference(chainId: number): string {
  const genesisHash = SOLANA_CLUSTERS.find(({ id }) => id === chainId)?.genesisHash ?? '';
  return `solana:${genesisHash.slice(0, 32)}`;
}

function toAsset(text: string): AssetId {
  const asset = parseAssetId(text);
  if (typeof asset === 'string') throw new Error(`WATCHED_TOKENS: ${text} ${asset}`);
  return asset;
}
