import { lease } from '../support/lease.js';
import { LocalChain } from '../support/local-chain.js';
import { OAuthWorld } from './oauth-world.js';

/** The suite with token-gating, on a chain of its own and beside chain 1, whose node is away. */
export interface OAuthWorldOnAChain {
  readonly world: OAuthWorld;
  readonly chain: LocalChain;
  readonly stop: () => Promise<void>;
}

/** The one that test files share. A test has contracts and accounts of its own. */
export function leaseOAuthWorldOnAChain(): Promise<OAuthWorldOnAChain> {
  return lease('oauth on a chain', {}, startOAuthWorldOnAChain);
}

async function startOAuthWorldOnAChain(): Promise<OAuthWorldOnAChain> {
  const chain = await LocalChain.start();
  await chain.installMulticall3();
  const rpcUrls = { [chain.chainId]: chain.rpcUrl, 1: 'http://127.0.0.1:1' };
  const world = await OAuthWorld.start({}, { rpcUrls });
  return {
    world,
    chain,
    stop: async () => {
      await world.stop();
      await chain.stop();
    },
  };
}
