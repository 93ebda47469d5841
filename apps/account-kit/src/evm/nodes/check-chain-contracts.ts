import type { Address, PublicClient } from 'viem';
import { parseAbi } from 'viem/utils';
import type { Paymaster, PaymasterConfig } from '../paymasters/paymaster.config.js';
import { ACCOUNT_CONTRACTS, DETERMINISTIC_DEPLOYER } from '../accounts/account-contracts.js';

const PAYMASTER = parseAbi([
  'function entryPoint() view returns (address)',
  'function verifyingSigner() view returns (address)',
]);

/** What a chain has beside the contracts that every operation needs. */
interface ChainFeatures {
  /** Mints deploy through this contract; a call of an address without code would succeed and mint nothing. */
  readonly hasDeterministicDeployer: boolean;
}

/**
 * Checks that a node serves the chain, and that every contract of smart accounts and its paymasters are there.
 * @throws Error that says what is missing
 */
export async function checkChainContracts(
  client: PublicClient,
  chainId: number,
  paymasters: Pick<PaymasterConfig, 'list' | 'findService' | 'signerAddress'>,
): Promise<ChainFeatures> {
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
  const hasService = paymasters.findService(chainId) !== undefined;
  for (const paymaster of paymasters.list(chainId)) {
    if (!(await client.getCode({ address: paymaster.address })))
      throw new Error(`there is no paymaster at ${paymaster.address}`);
    // What the contract of a service has beside the functions of ERC-4337 is not known.
    if (!hasService) await checkPaymaster(client, paymaster, paymasters.signerAddress);
  }
  const deployer = await client.getCode({ address: DETERMINISTIC_DEPLOYER });
  return { hasDeterministicDeployer: deployer !== undefined };
}

/** Operations with another one's EntryPoint or signer would all be refused. */
async function checkPaymaster(
  client: PublicClient,
  { version, address }: Paymaster,
  signerAddress: Address | undefined,
): Promise<void> {
  const contract = { address, abi: PAYMASTER } as const;
  const [entryPoint, signer] = await Promise.all([
    client.readContract({ ...contract, functionName: 'entryPoint' }),
    client.readContract({ ...contract, functionName: 'verifyingSigner' }),
  ]);
  if (entryPoint !== ACCOUNT_CONTRACTS[version].entryPoint)
    throw new Error(`the paymaster ${address} is not of EntryPoint ${version}`);
  if (signer !== signerAddress)
    throw new Error(`the paymaster ${address} has the signer ${signer} instead of ${signerAddress}`);
}
