import { InvalidConfiguration } from '@app/config';
import { type ChainConfig } from './chain-config.js';
import { type ChainRegistry, chainRegistry } from './chain-registry.js';

/** @throws InvalidConfiguration when a quorum is larger than the number of its chain's nodes. */
export function configuredChains({ switches, rpcUrls, rpcQuorums }: ChainConfig): ChainRegistry {
  try {
    return chainRegistry({
      custom: switches.CHAINS,
      rpcUrls,
      quorums: rpcQuorums,
      publicRpc: switches.PUBLIC_RPC,
      localChainId: switches.LOCAL_CHAIN_ID,
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new InvalidConfiguration(`The environment is not usable:\n  ${error.message}`, { cause: error });
  }
}
