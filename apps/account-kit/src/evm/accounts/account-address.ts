import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import type { Address, Hex } from 'viem';
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  numberToHex,
  parseAbi,
} from 'viem/utils';
import { ACCOUNT_CONTRACTS, type AccountVersion } from './account-contracts.js';

/** All accounts have the same salt: the owner alone tells them apart. */
export const ACCOUNT_SALT = 0n;

const INITIALIZE = parseAbi(['function initialize(address owner)']);

/** What was computed, because a signer checks the address of each operation. */
const computed = new LRUCache<string, Address>(boundEntries(10_000));

/**
 * Computes the address of a SimpleAccount as its factory does: CREATE2 over the proxy, the implementation and the owner.
 * It does not depend on the chain, so it is known before the account is deployed. Throws if `salt` is no uint256.
 */
export function smartAccountAddress(account: {
  readonly owner: Address;
  readonly salt: bigint;
  readonly version: AccountVersion;
}): Address {
  const key = `${account.version} ${account.owner} ${account.salt}`;
  const address = computed.get(key) ?? computeAddress(account);
  computed.set(key, address);
  return address;
}

function computeAddress(account: Parameters<typeof smartAccountAddress>[0]): Address {
  const { factory, implementation, proxyCode } = ACCOUNT_CONTRACTS[account.version];
  const initialize = encodeFunctionData({ abi: INITIALIZE, args: [account.owner] });
  const constructorArguments = encodeAbiParameters(
    [{ type: 'address' }, { type: 'bytes' }],
    [implementation, initialize],
  );
  return getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt: numberToHex(account.salt, { size: 32 }),
    bytecode: concatHex([proxyCode, constructorArguments]),
  });
}

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
