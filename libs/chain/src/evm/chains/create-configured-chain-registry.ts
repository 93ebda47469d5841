import { InvalidConfigurationError } from '@app/config';
import { type ChainConfig } from './chain-config.js';
import { type ChainRegistry, createChainRegistry } from './chain-registry.js';

/** @throws InvalidConfigurationError if a quorum exceeds the number of its chain's nodes */
export function createConfiguredChainRegistry({ settings, rpcUrls, rpcQuorums }: ChainConfig): ChainRegistry {
  try {
    return createChainRegistry({
      custom: settings.CHAINS,
      rpcUrls,
      quorums: rpcQuorums,
      publicRpc: settings.PUBLIC_RPC,
      localChainId: settings.LOCAL_CHAIN_ID,
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new InvalidConfigurationError(`The environment is not usable:\n  ${error.message}`, {
      cause: error,
    });
  }
}
