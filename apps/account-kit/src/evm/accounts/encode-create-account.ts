import type { Address, Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { ACCOUNT_CONTRACTS, type AccountVersion } from './account-contracts.js';

const FACTORY = parseAbi(['function createAccount(address owner, uint256 salt)']);

/** What the first operation of an account names so that the EntryPoint deploys the account. */
export function encodeCreateAccount(account: {
  readonly owner: Address;
  readonly salt: bigint;
  readonly version: AccountVersion;
}): { factory: Address; factoryData: Hex } {
  return {
    factory: ACCOUNT_CONTRACTS[account.version].factory,
    factoryData: encodeFunctionData({ abi: FACTORY, args: [account.owner, account.salt] }),
  };
}
