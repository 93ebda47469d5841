import { formatTimestampSql, queryRows, type Queryable } from '@app/database';
import { type OperationKind, operationKind, operationState } from '@app/dto';
import type { ListPosition } from '@app/service';
import type { Address, Hex } from 'viem';
import { bytesToHex, hexToBytes } from 'viem/utils';
import { z } from 'zod';
import type { AccountVersion } from '../evm/accounts/account-contracts.js';
import {
  CAN_BE_REPEATED,
  isCancelled,
  isGivenUp,
  isNot,
  isReplaced,
  shownReason,
} from './execution/operation-conditions.js';
import { isOperationFrozen } from '../limits/is-frozen.js';

/** States of operations that the chain does not show yet. */
const UNFINISHED = `('accepted', 'signed', 'submitted', 'stuck')`;

/** A lane of an account: its operations run in the order of their sequence numbers (ERC-4337). */
export interface Lane {
  readonly accountId: string;
  readonly chainId: number;
  readonly nonceKey: bigint;
}

/** An operation before it is signed. Gas and fees are in gas and wei. */
export interface NewOperation extends Lane {
  readonly id: string;
  readonly clientId: string;
  readonly kind: OperationKind;
  readonly accountVersion: AccountVersion;
  readonly sender: Hex;
  readonly nonceSequence: bigint;
  readonly deploysAccount: boolean;
  readonly callData: Hex;
  readonly callGasLimit: bigint;
  readonly verificationGasLimit: bigint;
  readonly preVerificationGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** The sponsor, which signs before the account. */
  readonly paymaster?: Address | undefined;
  readonly paymasterVerificationGasLimit?: bigint | undefined;
  readonly paymasterPostOpGasLimit?: bigint | undefined;
  /** What a kind stores about its operation, as JSON. */
  readonly details?: unknown;
}

/** Types of the columns that an operation is inserted with. */
const NEW_COLUMNS = {
  id: 'uuid',
  account_id: 'uuid',
  client_id: 'text',
  kind: 'text',
  chain_id: 'bigint',
  account_version: 'text',
  sender: 'text',
  nonce_key: 'numeric',
  nonce_sequence: 'bigint',
  deploys_account: 'boolean',
  call_data: 'bytea',
  call_gas_limit: 'numeric',
  verification_gas_limit: 'numeric',
  pre_verification_gas: 'numeric',
  max_fee_per_gas: 'numeric',
  max_priority_fee_per_gas: 'numeric',
  paymaster: 'text',
  paymaster_verification_gas_limit: 'numeric',
  paymaster_post_op_gas_limit: 'numeric',
  details: 'jsonb',
};
const NEW_NAMES = Object.keys(NEW_COLUMNS).join(', ');
const GIVEN_ARRAYS = Object.values(NEW_COLUMNS)
  .map((type, index) => `$${index + 1}::${type}[]`)
  .join(', ');
const INSERT = `
  INSERT INTO account_kit.user_operations (${NEW_NAMES}, state, state_seq, accepted_at, changed_at)
  SELECT ${NEW_NAMES}, 'accepted', 1, clock_timestamp(), clock_timestamp() FROM unnest(${GIVEN_ARRAYS}) AS given (${NEW_NAMES})`;

/** The values of an operation in the order of `NEW_COLUMNS`. */
const toValues = (operation: NewOperation): unknown[] => [
  operation.id,
  operation.accountId,
  operation.clientId,
  operation.kind,
  operation.chainId,
  operation.accountVersion,
  operation.sender,
  String(operation.nonceKey),
  String(operation.nonceSequence),
  operation.deploysAccount,
  Buffer.from(hexToBytes(operation.callData)),
  String(operation.callGasLimit),
  String(operation.verificationGasLimit),
  String(operation.preVerificationGas),
  String(operation.maxFeePerGas),
  String(operation.maxPriorityFeePerGas),
  operation.paymaster ?? null,
  operation.paymasterVerificationGasLimit?.toString() ?? null,
  operation.paymasterPostOpGasLimit?.toString() ?? null,
  operation.details === undefined ? null : JSON.stringify(operation.details),
];

/** Inserts operations in the given order. */
export async function insertOperations(db: Queryable, operations: readonly NewOperation[]): Promise<void> {
  if (operations.length === 0) return;
  const rows = operations.map(toValues);
  await queryRows(
    db,
    INSERT,
    Object.keys(NEW_COLUMNS).map((_, column) => rows.map((values) => values[column])),
  );
}

const gas = z.string().transform(BigInt);

const gasColumns = {
  callGasLimit: gas,
  verificationGasLimit: gas,
  preVerificationGas: gas,
  paymasterVerificationGasLimit: gas.nullable(),
  paymasterPostOpGasLimit: gas.nullable(),
  maxFeePerGas: gas,
};
const GAS_COLUMNS = `call_gas_limit::text AS "callGasLimit", verification_gas_limit::text AS "verificationGasLimit",
  pre_verification_gas::text AS "preVerificationGas", max_fee_per_gas::text AS "maxFeePerGas",
  paymaster_verification_gas_limit::text AS "paymasterVerificationGasLimit",
  paymaster_post_op_gas_limit::text AS "paymasterPostOpGasLimit"`;

const unfinishedRow = z.object({
  nonceKey: z.string().transform(BigInt),
  nonceSequence: z.string().transform(BigInt),
  callData: z.instanceof(Buffer).transform((bytes) => bytesToHex(bytes)),
  version: z.enum(['0.7', '0.8']),
  paymaster: z.string().nullable(),
  ...gasColumns,
  isGivenUp: z.boolean(),
});

/** An operation of an account on a chain that is not included. One that is given up is expected to be cancelled before those behind it. */
export type UnfinishedOperation = z.infer<typeof unfinishedRow>;

const unfinishedRows = z.array(
  unfinishedRow.extend({ accountId: z.string(), chainId: z.coerce.number().int() }),
);

/** @returns all unfinished operations of each account on its chain whose nonces no cancellation has used, in the order of their sequence numbers */
export async function listUnfinishedOperations(
  db: Queryable,
  accounts: readonly Omit<Lane, 'nonceKey'>[],
): Promise<UnfinishedOperation[][]> {
  const rows = await queryRows(
    db,
    `SELECT account_id AS "accountId", chain_id AS "chainId", nonce_key::text AS "nonceKey",
       nonce_sequence::text AS "nonceSequence", call_data AS "callData", account_version AS version, paymaster,
       ${GAS_COLUMNS}, ${isGivenUp('o')} OR ${isCancelled('o')} AS "isGivenUp"
     FROM account_kit.user_operations AS o
     WHERE (account_id, chain_id) IN (SELECT * FROM unnest($1::uuid[], $2::bigint[]))
       AND kind <> 'cancellation' AND state IN ${UNFINISHED} AND ${isNot(isReplaced('o'))}
     ORDER BY nonce_sequence`,
    [accounts.map(({ accountId }) => accountId), accounts.map(({ chainId }) => chainId)],
  );
  const found = unfinishedRows.parse(rows);
  return accounts.map(({ accountId, chainId }) =>
    found.filter((one) => one.accountId === accountId && one.chainId === chainId),
  );
}

/** The state of a lane, which limits a new operation of the lane. */
export interface LaneState {
  /** Unfinished operations of the account on the chain, in all lanes, whose nonces no cancellation has used. */
  readonly unfinishedCount: number;
  /** Sequence numbers of the lane that operations have. */
  readonly taken: readonly bigint[];
  /**
   * Whether an operation of the account, or a cancellation, has deployed it on the chain or may still do so. Not asked for lanes of
   * accounts that are deployed by what a node says.
   */
  readonly isDeploying: boolean;
}

const laneRows = z.array(
  z.object({
    unfinishedCount: z.coerce.number().int(),
    taken: z.array(z.string().transform(BigInt)),
    isDeploying: z.boolean(),
  }),
);

/**
 * The state of each lane. Sequence numbers count from `first` on, also those of operations that are included: a node may be a block behind.
 * An operation that was rejected before it was signed has left its number, until a new operation or a cancellation takes it.
 */
export async function loadLaneStates(
  db: Queryable,
  lanes: readonly (Lane & { readonly first: bigint; readonly deploysAccount: boolean })[],
): Promise<LaneState[]> {
  const rows = await queryRows(
    db,
    `SELECT
       (SELECT count(*) FROM account_kit.user_operations AS o
        WHERE o.account_id = asked.account_id AND o.chain_id = asked.chain_id AND o.kind <> 'cancellation'
          AND o.state IN ${UNFINISHED} AND ${isNot(isReplaced('o'))}) AS "unfinishedCount",
       ARRAY(SELECT o.nonce_sequence::text FROM account_kit.user_operations AS o
        WHERE o.account_id = asked.account_id AND o.chain_id = asked.chain_id AND o.nonce_key = asked.nonce_key
          AND o.nonce_sequence >= asked.first AND o.state <> 'expired' AND (o.state <> 'rejected' OR o.hash IS NOT NULL)) AS taken,
       asked.deploys AND EXISTS (SELECT FROM account_kit.user_operations AS o
        WHERE o.account_id = asked.account_id AND o.chain_id = asked.chain_id
          AND (o.state IN ('included', 'final', 'reverted') OR o.deploys_account AND o.state IN ${UNFINISHED})) AS "isDeploying"
     FROM unnest($1::uuid[], $2::bigint[], $3::numeric[], $4::bigint[], $5::boolean[]) WITH ORDINALITY
       AS asked (account_id, chain_id, nonce_key, first, deploys, place)
     ORDER BY asked.place`,
    [
      lanes.map(({ accountId }) => accountId),
      lanes.map(({ chainId }) => chainId),
      lanes.map(({ nonceKey }) => String(nonceKey)),
      lanes.map(({ first }) => String(first)),
      lanes.map(({ deploysAccount }) => deploysAccount),
    ],
  );
  return laneRows.parse(rows);
}

const signedRow = z.object({
  hash: z.templateLiteral(['0x', z.string()]).nullable(),
  chainId: z.coerce.number().int(),
  state: operationState,
  needsSponsor: z.boolean(),
});

/** The hash of an operation, null before it is signed. */
export async function findOperation(
  db: Queryable,
  id: string,
): Promise<z.infer<typeof signedRow> | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT hash, chain_id AS "chainId", state, paymaster IS NOT NULL AND paymaster_data IS NULL AS "needsSponsor"
     FROM account_kit.user_operations WHERE id = $1`,
    [id],
  );
  return row === undefined ? undefined : signedRow.parse(row);
}

/** Whether operators have frozen what a stored operation is of. */
export async function isStoredOperationFrozen(db: Queryable, id: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    `SELECT id FROM account_kit.user_operations WHERE id = $1 AND ${isOperationFrozen('user_operations')}`,
    [id],
  );
  return rows.length > 0;
}

const unsignedOperationRow = z.object({
  id: z.string(),
  clientId: z.string(),
  kind: operationKind,
  chainId: z.coerce.number().int(),
  version: z.enum(['0.7', '0.8']),
  sender: z.templateLiteral(['0x', z.string()]),
  callData: z.instanceof(Buffer).transform((bytes) => bytesToHex(bytes)),
  paymaster: z.string().nullable(),
  ...gasColumns,
});

/** A stored operation as far as a policy judges it. */
export type UnsignedOperation = Readonly<z.infer<typeof unsignedOperationRow>>;

/** @returns undefined unless the operation is `accepted` */
export async function findUnsignedOperation(
  db: Queryable,
  id: string,
): Promise<UnsignedOperation | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT id, client_id AS "clientId", kind, chain_id AS "chainId", account_version AS version, sender, call_data AS "callData",
       paymaster, ${GAS_COLUMNS}
     FROM account_kit.user_operations WHERE id = $1 AND state = 'accepted'`,
    [id],
  );
  return row === undefined ? undefined : unsignedOperationRow.parse(row);
}

const unsignedRows = z.array(z.object({ id: z.string(), isTooOld: z.boolean() }));

interface UnsignedOperationsQuery {
  readonly olderThanMs: number;
  readonly maxAgeMs: number;
  /** Whether somebody can repeat the request for them. */
  readonly canBeRepeated: boolean;
  readonly limit: number;
  /** Operations that have failed and are not to be tried yet. */
  readonly except: readonly string[];
}

/**
 * Operations that were accepted `olderThanMs` ago and are not signed: their process has died. A cancellation is never too old, because it
 * calls nothing.
 */
export async function listUnsignedOperations(
  db: Queryable,
  { olderThanMs, maxAgeMs, canBeRepeated, limit, except }: UnsignedOperationsQuery,
): Promise<z.infer<typeof unsignedRows>> {
  const rows = await queryRows(
    db,
    `SELECT id, kind <> 'cancellation' AND accepted_at < clock_timestamp() - $2 * interval '1 ms' AS "isTooOld"
     FROM account_kit.user_operations AS o
     WHERE state = 'accepted' AND accepted_at < clock_timestamp() - $1 * interval '1 ms'
       AND id <> ALL($4::uuid[]) AND ${CAN_BE_REPEATED} = $5
     ORDER BY accepted_at LIMIT $3`,
    [olderThanMs, maxAgeMs, limit, except, canBeRepeated],
  );
  return unsignedRows.parse(rows);
}

const receiptRow = z.object({
  accountVersion: z.enum(['0.7', '0.8']),
  state: operationState,
  sender: z.string(),
  nonceKey: z.string().transform(BigInt),
  nonceSequence: z.string().transform(BigInt),
  paymaster: z.string().nullable(),
  success: z.boolean().nullable(),
  reason: z.string().nullable(),
  actualGasUsed: z.string().transform(BigInt).nullable(),
  actualGasCost: z.string().transform(BigInt).nullable(),
  receipt: z.unknown(),
});

export type OperationReceiptRow = z.infer<typeof receiptRow>;

/** An operation of an account; another account's is not found. */
export async function findReceipt(
  db: Queryable,
  { accountId, chainId, hash }: { accountId: string; chainId: number; hash: string },
): Promise<OperationReceiptRow | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT account_version AS "accountVersion", state, sender, nonce_key::text AS "nonceKey",
       nonce_sequence::text AS "nonceSequence", paymaster, success, reason, actual_gas_used::text AS "actualGasUsed",
       actual_gas_cost::text AS "actualGasCost", receipt
     FROM account_kit.user_operations WHERE account_id = $1 AND chain_id = $2 AND hash = $3`,
    [accountId, chainId, hash.toLowerCase()],
  );
  return row === undefined ? undefined : receiptRow.parse(row);
}

const listedRow = z.object({
  id: z.string(),
  hash: z.string(),
  chainId: z.coerce.number().int(),
  kind: operationKind,
  state: operationState,
  nonceKey: z.string(),
  success: z.boolean().nullable(),
  reason: z.string().nullable(),
  transactionHash: z.string().nullable(),
  acceptedAt: z.string(),
  changedAt: z.date(),
});
export type ListedOperationRow = z.output<typeof listedRow>;

const NEWEST: ListPosition = { time: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** Signed operations of an account, newest first. */
export async function listOperations(
  db: Queryable,
  accountId: string,
  { after = NEWEST, limit }: { readonly after: ListPosition | undefined; readonly limit: number },
): Promise<ListedOperationRow[]> {
  const rows = await queryRows(
    db,
    `SELECT id, hash, chain_id AS "chainId", kind, state, nonce_key::text AS "nonceKey", success, ${shownReason('o')} AS reason,
       transaction_hash AS "transactionHash", changed_at AS "changedAt",
       ${formatTimestampSql('accepted_at')} AS "acceptedAt"
     FROM account_kit.user_operations AS o
     WHERE account_id = $1 AND hash IS NOT NULL AND (accepted_at, id) < ($2::timestamptz, $3::uuid)
     ORDER BY accepted_at DESC, id DESC LIMIT $4`,
    [accountId, after.time, after.id, limit],
  );
  return z.array(listedRow).parse(rows);
}

const foundRow = z.array(z.object({ id: z.string(), chainId: z.coerce.number().int() }));

/** The operation of an account; another account's is not found. */
export async function findOperationByHash(
  db: Queryable,
  accountId: string,
  hash: string,
): Promise<{ id: string; chainId: number } | undefined> {
  const rows = await queryRows(
    db,
    `SELECT id, chain_id AS "chainId" FROM account_kit.user_operations WHERE account_id = $1 AND hash = $2`,
    [accountId, hash.toLowerCase()],
  );
  return foundRow.parse(rows)[0];
}
