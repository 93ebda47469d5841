import { createDeployer } from '../../scripts/chain/deploy.mjs';

/** @import { Chain } from './engine-load.mjs' */

/**
 * Reads of contracts that burn all gas and that answer 3 MB, each time for another token id.
 * @param {{ chain: Chain, rpcUrl: string, root: string, from: string }} options
 */
export async function badNeighbours({ chain, rpcUrl, root, from }) {
  const deployer = createDeployer({ rpcUrl, root, from });
  const burner = await deployer.contract('GasBurner', []);
  const flooder = await deployer.contract('Flooder', [3_000_000n, false]);
  let id = 0n;
  return () => [burner, flooder].map(({ address }) => chain.createErc721OwnerRead(address, (id += 1n)));
}
