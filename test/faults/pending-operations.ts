import type pg from 'pg';
import type { Address } from 'viem';
import { bytesToHex } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { encodeCreateAccount } from '../../apps/account-kit/src/evm/accounts/account-address.js';
import {
  encodeHandleOps,
  packNonce,
  type SignedUserOperation,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';
import type { LocalChain } from '../support/local-chain.js';

const GAS = 3_000_000n;

interface Row {
  sender: Address;
  signer_address: Address;
  nonce_key: string;
  nonce_sequence: string;
  deploys_account: boolean;
  call_data: Buffer;
  signature: Buffer;
  call_gas_limit: string;
  verification_gas_limit: string;
  pre_verification_gas: string;
  max_fee_per_gas: string;
  max_priority_fee_per_gas: string;
  paymaster: Address | null;
  paymaster_verification_gas_limit: string | null;
  paymaster_post_op_gas_limit: string | null;
  paymaster_data: Buffer | null;
}

/** Signed operations that are in no block yet, as whoever sees a public pool has them. */
export async function loadPendingOperations(pool: pg.Pool): Promise<SignedUserOperation[]> {
  const { rows } = await pool.query<Row>(
    `SELECT o.*, a.signer_address FROM account_kit.user_operations AS o
     JOIN account_kit.smart_accounts AS a ON a.id = o.account_id
     WHERE o.state IN ('signed', 'submitted') AND o.signature IS NOT NULL ORDER BY o.nonce_sequence, o.nonce_key`,
  );
  return rows.map((row) => ({
    sender: row.sender,
    nonce: packNonce({ key: BigInt(row.nonce_key), sequence: BigInt(row.nonce_sequence) }),
    ...(row.deploys_account
      ? encodeCreateAccount({ owner: row.signer_address, salt: 0n, version: '0.8' })
      : {}),
    callData: bytesToHex(row.call_data),
    callGasLimit: BigInt(row.call_gas_limit),
    verificationGasLimit: BigInt(row.verification_gas_limit),
    preVerificationGas: BigInt(row.pre_verification_gas),
    maxFeePerGas: BigInt(row.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
    ...(row.paymaster === null || row.paymaster_data === null
      ? {}
      : {
          paymaster: row.paymaster,
          paymasterVerificationGasLimit: BigInt(row.paymaster_verification_gas_limit ?? 0),
          paymasterPostOpGasLimit: BigInt(row.paymaster_post_op_gas_limit ?? 0),
          paymasterData: bytesToHex(row.paymaster_data),
        }),
    signature: bytesToHex(row.signature),
  }));
}

/** Executes an operation without account-kit. */
export async function executeAsStranger(
  client: LocalChain['client'],
  operation: SignedUserOperation,
): Promise<void> {
  await client.sendTransaction({
    to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
    data: encodeHandleOps('0.8', [operation], client.account.address),
    gas: GAS,
    maxFeePerGas: 10n ** 13n,
    maxPriorityFeePerGas: 10n ** 11n,
  });
}
