import type { Address, PublicClient } from 'viem';
import { decodeAbiParameters, encodeDeployData, parseAbi, parseAbiParameters } from 'viem/utils';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../accounts/account-contracts.js';
import { accountStateReaderCode } from './account-state-reader-code.js';

/** An account in the latest block. */
export interface AccountState {
  readonly isDeployed: boolean;
  /** Sequence of the next operation of the nonce key (ERC-4337, semi-abstracted nonces). */
  readonly nextSequence: bigint;
  /** What can pay for operations: the balance and the deposit at the EntryPoint, in wei. */
  readonly funds: bigint;
}

const SEQUENCE_MASK = 2n ** 64n - 1n;
const READER = parseAbi(['constructor(address account, address entryPoint, uint192 nonceKey)']);
const STATE = parseAbiParameters('uint256 codeSize, uint256 nonce, uint256 balance, uint256 deposit');

/** Reads everything in one call, and so in one block: the call runs init code that returns the state, and deploys nothing. */
export async function loadAccountState(
  client: PublicClient,
  { sender, version, nonceKey }: { sender: Address; version: AccountVersion; nonceKey: bigint },
): Promise<AccountState> {
  const code = encodeDeployData({
    abi: READER,
    bytecode: accountStateReaderCode,
    args: [sender, ACCOUNT_CONTRACTS[version].entryPoint, nonceKey],
  });
  const { data } = await client.call({ data: code });
  if (data === undefined) throw new Error('eth_call answered without the state of the account');
  const [codeSize, nonce, balance, deposit] = decodeAbiParameters(STATE, data);
  return { isDeployed: codeSize > 0n, nextSequence: nonce & SEQUENCE_MASK, funds: balance + deposit };
}
