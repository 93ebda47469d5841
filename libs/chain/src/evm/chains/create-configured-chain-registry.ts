import { InvalidConfigurationError } from '@app/config';
import { type ChainConfig } from './chain-config.js';
import { type ChainRegistry, createChainRegistry } from './chain-registry.js';

/**
 * @param options.publicRpc false for an app that uses only nodes which are configured
 * @throws InvalidConfigurationError if a quorum exceeds the number of its chain's nodes
 */
export function createConfiguredChainRegistry(
  { settings, rpcUrls, rpcQuorums }: ChainConfig,
  { publicRpc = settings.PUBLIC_RPC }: { readonly publicRpc?: boolean } = {},
): ChainRegistry {
  try {
    return createChainRegistry({
      custom: settings.CHAINS,
      rpcUrls,
      quorums: rpcQuorums,
      publicRpc,
      localChainId: settings.LOCAL_CHAIN_ID,
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new InvalidConfigurationError(`The environment is not usable:\n  ${error.message}`, {
      cause: error,
    });
  }
}
