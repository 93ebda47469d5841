import { z } from 'zod';
import type { Address, Hex } from 'viem';
import { bytesToHex } from 'viem/utils';
import { storedAddress as address, storedAmount as amount } from '../transactions/stored-transaction.js';
import type { AccountVersion } from '../../../evm/accounts/account-contracts.js';
import { ACCOUNT_SALT, encodeCreateAccount } from '../../../evm/accounts/account-address.js';
import { packNonce, type SignedUserOperation } from '../../../evm/operations/user-operation.js';

/** A signed operation that this instance puts into a bundle. */
export interface ClaimedOperation {
  readonly id: string;
  readonly version: AccountVersion;
  readonly accountId: string;
  /** Operations of one lane are executed in the order of their nonces. */
  readonly lane: string;
  readonly isCancellation: boolean;
  /** The operation failed its simulation or reverted a bundle before. */
  readonly isRepeat: boolean;
  /** The operation was in a bundle that reverted, and nobody knows whose fault that was. */
  readonly goesAlone: boolean;
  /** An operation of its account or its paymaster is in a transaction of the executor that waits to be mined. */
  readonly followsPending: boolean;
  readonly operation: SignedUserOperation;
}

const bytes = z.instanceof(Uint8Array).transform((value): Hex => bytesToHex(value));

/** Columns of `user_operations AS o` and `smart_accounts AS a` that make a ClaimedOperation. */
export const CLAIMED_COLUMNS = `
  o.id, o.kind, o.goes_alone, o.account_id, o.account_version, o.sender, o.nonce_key, o.nonce_sequence, o.deploys_account, o.call_data,
  o.call_gas_limit, o.verification_gas_limit, o.pre_verification_gas, o.max_fee_per_gas, o.max_priority_fee_per_gas,
  o.paymaster, o.paymaster_verification_gas_limit, o.paymaster_post_op_gas_limit, o.paymaster_data, o.signature,
  a.signer_address`;

const row = z.object({
  id: z.string(),
  kind: z.string(),
  goes_alone: z.boolean(),
  account_id: z.string(),
  account_version: z.enum(['0.7', '0.8']),
  sender: address,
  nonce_key: amount,
  nonce_sequence: amount,
  deploys_account: z.boolean(),
  call_data: bytes,
  call_gas_limit: amount,
  verification_gas_limit: amount,
  pre_verification_gas: amount,
  max_fee_per_gas: amount,
  max_priority_fee_per_gas: amount,
  paymaster: address.nullable(),
  paymaster_verification_gas_limit: amount.nullable(),
  paymaster_post_op_gas_limit: amount.nullable(),
  paymaster_data: bytes.nullable(),
  signature: bytes,
  signer_address: address,
  follows_pending: z.boolean(),
  is_repeat: z.boolean().default(false),
});
type Row = z.output<typeof row>;

export const claimedOperation = row.transform((stored): ClaimedOperation => ({
  id: stored.id,
  version: stored.account_version,
  accountId: stored.account_id,
  lane: `${stored.account_id}:${stored.nonce_key}`,
  isCancellation: stored.kind === 'cancellation',
  isRepeat: stored.is_repeat,
  goesAlone: stored.goes_alone,
  followsPending: stored.follows_pending,
  operation: toSignedUserOperation(stored),
}));

function toSignedUserOperation(stored: Row): SignedUserOperation {
  const account = { owner: stored.signer_address, salt: ACCOUNT_SALT, version: stored.account_version };
  return {
    sender: stored.sender,
    nonce: packNonce({ key: stored.nonce_key, sequence: stored.nonce_sequence }),
    ...(stored.deploys_account ? encodeCreateAccount(account) : {}),
    callData: stored.call_data,
    callGasLimit: stored.call_gas_limit,
    verificationGasLimit: stored.verification_gas_limit,
    preVerificationGas: stored.pre_verification_gas,
    maxFeePerGas: stored.max_fee_per_gas,
    maxPriorityFeePerGas: stored.max_priority_fee_per_gas,
    ...(stored.paymaster === null ? {} : toPaymasterFields(stored, stored.paymaster)),
    signature: stored.signature,
  };
}

const toPaymasterFields = (stored: Row, paymaster: Address) => ({
  paymaster,
  paymasterVerificationGasLimit: stored.paymaster_verification_gas_limit ?? 0n,
  paymasterPostOpGasLimit: stored.paymaster_post_op_gas_limit ?? 0n,
  paymasterData: stored.paymaster_data ?? '0x',
});
