import { ChainConfig } from '@app/chain/evm';
import { createConfigClass, envJson } from '@app/config';
import {
  type AssetId,
  createEvmAddress,
  formatCaip2,
  isSolanaChain,
  parseAssetId,
  SOLANA_CLUSTERS,
  solanaAddress,
  toChecksumAddress,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type Chain, ChainService } from '../../rules/chains/chain.service.js';
import { listWellKnownTokens, MAX_WELL_KNOWN_TOKENS } from './list-well-known-tokens.js';

/** Bounds the reads of each linked wallet. */
const MAX_WATCHED_TOKENS = 100;

const watchedToken = z
  .strictObject({
    chainId: z.int().positive(),
    contractAddress: z.string(),
    cashtag: z.string().min(1).max(64).optional(),
  })
  .transform((token, context) => {
    const schema = isSolanaChain(token.chainId) ? solanaAddress : createEvmAddress(token.chainId);
    const { success, data, error } = schema.safeParse(token.contractAddress);
    for (const { message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['contractAddress'], message });
    if (isSolanaChain(token.chainId) && token.cashtag === undefined)
      context.addIssue({
        code: 'custom',
        path: ['cashtag'],
        message: 'is required for a mint, which has no symbol',
      });
    return success ? { ...token, contractAddress: data } : z.NEVER;
  });

export interface WatchedToken {
  readonly chainId: number;
  /** An EVM address in lower case, or a mint. */
  readonly contractAddress: string;
  /** Name in responses; the symbol of the contract when absent. */
  readonly cashtag?: string | undefined;
}

const watchedTokensConfigSchema = z.object({
  WATCHED_TOKENS: envJson(z.array(watchedToken).max(MAX_WATCHED_TOKENS))
    .optional()
    .meta({
      description: `ERC-20 tokens and Solana mints whose balances, with the native coins of their chains, are returned for a linked wallet and for an asset list without assets. \`cashtag\` is by default the symbol of the contract; a mint needs one. Without this variable at most ${MAX_WELL_KNOWN_TOKENS} well-known tokens of each chain with a node URL are returned, with its coin.`,
      format: `JSON: \`[{ "chainId", "contractAddress", "cashtag" }]\`, at most ${MAX_WATCHED_TOKENS}`,
    }),
});

export class WatchedTokensConfig extends createConfigClass(watchedTokensConfigSchema) {}

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
          ? `${formatCaip2(chainId)}/token:${contractAddress}`
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
  `${formatCaip2(chainId)}/slip44:${isSolanaChain(chainId) ? '501' : '60'}`;

function toAsset(text: string): AssetId {
  const asset = parseAssetId(text);
  if (typeof asset === 'string') throw new Error(`WATCHED_TOKENS: ${text} ${asset}`);
  return asset;
}
