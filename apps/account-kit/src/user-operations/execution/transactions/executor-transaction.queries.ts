import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import type { Hex } from 'viem';
import { hexToBytes } from 'viem/utils';
import type { TransactionVariant } from './stored-transaction.js';

/** JSON numbers would lose digits. */
export const VARIANTS = `
  SELECT json_agg(json_build_object('number', number, 'hash', hash,
    'raw', CASE WHEN hash <> ALL ($4::text[]) THEN encode(raw, 'hex') END,
    'isEmpty', is_empty, 'maxFeePerGas', max_fee_per_gas::text, 'maxPriorityFeePerGas', max_priority_fee_per_gas::text,
    'blockNumber', block_number::text) ORDER BY number)
  FROM account_kit.executor_transaction_variants WHERE transaction_id = t.id`;

/** SQL of the least fee that the operations of a transaction pay. Cancellations pay nothing. */
export const paidFee = (column: string): string => `
  SELECT min(o.${column}) FROM account_kit.executor_transaction_operations AS link
  JOIN account_kit.user_operations AS o ON o.id = link.operation_id
  WHERE link.transaction_id = t.id AND o.kind <> 'cancellation'`;

export async function insertVariant(
  manager: EntityManager,
  transactionId: string,
  variant: TransactionVariant,
): Promise<void> {
  await queryRows(
    manager,
    `INSERT INTO account_kit.executor_transaction_variants
       (transaction_id, number, hash, raw, max_fee_per_gas, max_priority_fee_per_gas, block_number, is_empty)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      transactionId,
      variant.number,
      variant.hash,
      toBuffer(variant.raw),
      variant.maxFeePerGas,
      variant.maxPriorityFeePerGas,
      variant.blockNumber,
      variant.isEmpty,
    ],
  );
}

export const toBuffer = (hex: Hex): Buffer => Buffer.from(hexToBytes(hex));
