import type { PublicClient } from 'viem';
import { ACCOUNT_CONTRACTS } from '../accounts/account-contracts.js';

/** Checks that a node serves the chain and that every contract of smart accounts is there. @throws Error that says what is missing */
export async function checkChainContracts(client: PublicClient, chainId: number): Promise<void> {
  const served = await client.getChainId();
  if (served !== chainId) throw new Error(`the node serves chain ${served} instead of ${chainId}`);
  const contracts = Object.entries(ACCOUNT_CONTRACTS).flatMap(
    ([version, { entryPoint, factory, implementation }]) =>
      Object.entries({ entryPoint, factory, implementation }).map(([name, address]) => ({
        name: `${name} of version ${version}`,
        address,
      })),
  );
  await Promise.all(
    contracts.map(async ({ name, address }) => {
      if (!(await client.getCode({ address }))) throw new Error(`chain ${chainId} has no ${name}`);
    }),
  );
}
