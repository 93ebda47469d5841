import { createBatcher } from '@app/common';
import { queryRows, type Queryable } from '@app/database';
import { bytesToHex } from 'viem/utils';
import { z } from 'zod';
import { isOperationFrozen } from '../../limits/is-frozen.js';
import { platform } from '../../owners/platform-user.js';
import { matchRows, policyColumns, selectPolicy } from './policy-columns.js';
import { ACCOUNT_SALT, encodeCreateAccount } from '../../evm/accounts/account-address.js';
import { packNonce, type UserOperationFields } from '../../evm/operations/user-operation.js';

const hex = z.templateLiteral(['0x', z.string()]);
const amount = z.string().transform(BigInt);
const bytes = z.instanceof(Buffer).transform((buffer) => bytesToHex(buffer));

const operationToSign = z.object({
  state: z.string(),
  kind: z.string(),
  hash: hex.nullable(),
  signature: bytes.nullable(),
  accountId: z.string(),
  platform,
  userId: z.string(),
  keyRootId: z.string(),
  signerAddress: hex,
  evmAddress: hex,
  chainId: z.coerce.number().int(),
  version: z.enum(['0.7', '0.8']),
  accountVersion: z.enum(['0.7', '0.8']),
  sender: hex,
  nonceKey: amount,
  nonceSequence: amount,
  deploysAccount: z.boolean(),
  callData: bytes,
  callGasLimit: amount,
  verificationGasLimit: amount,
  preVerificationGas: amount,
  maxFeePerGas: amount,
  maxPriorityFeePerGas: amount,
  isFrozen: z.boolean(),
  paymaster: hex.nullable(),
  paymasterVerificationGasLimit: amount.nullable(),
  paymasterPostOpGasLimit: amount.nullable(),
  paymasterData: bytes.nullable(),
  validUntil: z.date().nullable(),
  ...policyColumns,
});

/** A stored operation with the account that it is of. */
export type OperationToSign = z.infer<typeof operationToSign>;

export type OperationToSignLoader = (operationId: string) => Promise<OperationToSign | undefined>;

/** Operations that are to be signed at the same time are loaded in one statement. */
export function createOperationToSignLoader(db: Queryable): OperationToSignLoader {
  const batcher = createBatcher((ids: readonly string[]) => loadOperationsToSign(db, ids), {
    batchWindowMs: 0,
  });
  return (operationId) => batcher.load(operationId);
}

export async function loadOperationToSign(
  db: Queryable,
  operationId: string,
): Promise<OperationToSign | undefined> {
  const [operation] = await loadOperationsToSign(db, [operationId]);
  if (operation instanceof Error) throw operation;
  return operation;
}

async function loadOperationsToSign(
  db: Queryable,
  ids: readonly string[],
): Promise<(OperationToSign | undefined | Error)[]> {
  const rows = await queryRows(
    db,
    `SELECT operation.id, state, kind, hash, signature, account.id AS "accountId", platform, platform_user_id AS "userId", key_root_id AS "keyRootId",
       signer_address AS "signerAddress", evm_address AS "evmAddress", chain_id AS "chainId",
       operation.account_version AS version, account.account_version AS "accountVersion", sender,
       nonce_key::text AS "nonceKey", nonce_sequence::text AS "nonceSequence", deploys_account AS "deploysAccount",
       call_data AS "callData", call_gas_limit::text AS "callGasLimit",
       verification_gas_limit::text AS "verificationGasLimit", pre_verification_gas::text AS "preVerificationGas",
       max_fee_per_gas::text AS "maxFeePerGas", max_priority_fee_per_gas::text AS "maxPriorityFeePerGas", paymaster,
       paymaster_verification_gas_limit::text AS "paymasterVerificationGasLimit",
       paymaster_post_op_gas_limit::text AS "paymasterPostOpGasLimit", paymaster_data AS "paymasterData",
       valid_until AS "validUntil", ${isOperationFrozen('operation')} AS "isFrozen", ${selectPolicy('operation')}
     FROM account_kit.user_operations AS operation
     JOIN account_kit.smart_accounts AS account ON account.id = operation.account_id
     WHERE operation.id = ANY($1::uuid[])`,
    [ids],
  );
  return matchRows(ids, rows, operationToSign);
}

export function toUserOperationFields(row: OperationToSign): UserOperationFields {
  const { sender, callData, signerAddress: owner, version, paymaster } = row;
  return {
    sender,
    nonce: packNonce({ key: row.nonceKey, sequence: row.nonceSequence }),
    ...(row.deploysAccount ? encodeCreateAccount({ owner, salt: ACCOUNT_SALT, version }) : {}),
    callData,
    callGasLimit: row.callGasLimit,
    verificationGasLimit: row.verificationGasLimit,
    preVerificationGas: row.preVerificationGas,
    maxFeePerGas: row.maxFeePerGas,
    maxPriorityFeePerGas: row.maxPriorityFeePerGas,
    ...(paymaster === null
      ? {}
      : {
          paymaster,
          paymasterVerificationGasLimit: row.paymasterVerificationGasLimit ?? 0n,
          paymasterPostOpGasLimit: row.paymasterPostOpGasLimit ?? 0n,
          paymasterData: row.paymasterData ?? '0x',
        }),
  };
}
