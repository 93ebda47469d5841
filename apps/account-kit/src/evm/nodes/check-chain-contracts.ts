import { isContractError, toJsonRpcError } from '@app/chain/evm';
import {
  AbiDecodingDataSizeInvalidError,
  AbiDecodingDataSizeTooSmallError,
  AbiDecodingZeroDataError,
  BaseError,
  InvalidAddressError,
  type Address,
  type PublicClient,
  RpcRequestError,
} from 'viem';
import { parseAbi } from 'viem/utils';
import type { Paymaster, PaymasterConfig } from '../paymaster.config.js';
import { ACCOUNT_SALT, smartAccountAddress } from '../accounts/account-address.js';
import {
  ACCOUNT_CONTRACTS,
  type AccountVersion,
  DETERMINISTIC_DEPLOYER,
} from '../accounts/account-contracts.js';

const FACTORY = parseAbi(['function getAddress(address owner, uint256 salt) view returns (address)']);
/** An owner whose address is computed to check the factory. Any owner will do. */
const SAMPLE_OWNER: Address = '0x00000000000000000000000000000000000a11ce';

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
 * Checks that a node serves the chain, that every contract of smart accounts and its paymasters are there, and that the factories deploy
 * accounts to the addresses that are listed.
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
  await Promise.all(
    (Object.keys(ACCOUNT_CONTRACTS) as AccountVersion[]).map((version) => checkFactory(client, version)),
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

/** Answers of a contract that is not the expected one, or none of its functions. */
const WRONG_ANSWERS = [
  AbiDecodingDataSizeInvalidError,
  AbiDecodingDataSizeTooSmallError,
  AbiDecodingZeroDataError,
  InvalidAddressError,
];

/**
 * Whether a failed check shows that the node does not serve the expected contracts: a wrong answer, or a contract that reverts or halts. What
 * a node that is away or too busy did not answer shows nothing.
 */
export function isRefuted(error: unknown): boolean {
  if (!(error instanceof BaseError)) return true;
  return (
    error.walk((cause) => WRONG_ANSWERS.some((type) => cause instanceof type) || isRevert(cause)) !== null
  );
}

/** viem takes every internal error of a node for a revert. */
const isRevert = (cause: unknown): boolean =>
  cause instanceof RpcRequestError &&
  isContractError(toJsonRpcError({ code: cause.code, message: cause.details }));

/** Money that is sent to an address which the chain's factory does not deploy to is lost. */
async function checkFactory(client: PublicClient, version: AccountVersion): Promise<void> {
  const account = { owner: SAMPLE_OWNER, salt: ACCOUNT_SALT };
  const address = await client.readContract({
    address: ACCOUNT_CONTRACTS[version].factory,
    abi: FACTORY,
    functionName: 'getAddress',
    args: [account.owner, account.salt],
  });
  if (address !== smartAccountAddress({ ...account, version }))
    throw new Error(`the factory of version ${version} deploys accounts to other addresses`);
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
