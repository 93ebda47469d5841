import type { Address, PublicClient } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../accounts/account-contracts.js';

/** An account in the latest block. */
export interface AccountState {
  readonly isDeployed: boolean;
  /** Sequence of the next operation of the nonce key (ERC-4337, semi-abstracted nonces). */
  readonly nextSequence: bigint;
  /** What can pay for operations: the balance and the deposit at the EntryPoint, in wei. */
  readonly funds: bigint;
}

const SEQUENCE_MASK = 2n ** 64n - 1n;

export async function loadAccountState(
  client: PublicClient,
  { sender, version, nonceKey }: { sender: Address; version: AccountVersion; nonceKey: bigint },
): Promise<AccountState> {
  // These functions are the same in both versions.
  const entryPoint = { address: ACCOUNT_CONTRACTS[version].entryPoint, abi: entryPoint08Abi } as const;
  const [code, nonce, balance, deposit] = await Promise.all([
    client.getCode({ address: sender }),
    client.readContract({ ...entryPoint, functionName: 'getNonce', args: [sender, nonceKey] }),
    client.getBalance({ address: sender }),
    client.readContract({ ...entryPoint, functionName: 'balanceOf', args: [sender] }),
  ]);
  return {
    isDeployed: code !== undefined && code !== '0x',
    nextSequence: nonce & SEQUENCE_MASK,
    funds: balance + deposit,
  };
}
