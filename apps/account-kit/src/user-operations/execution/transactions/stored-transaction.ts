import type { Address, Hex } from 'viem';
import { z } from 'zod';
import type { TransactionFees } from './transaction-fees.js';

/** Schemas of columns as queries give them: bigint and numeric come as text or bigint, of JSON also as numbers. */
export const storedAmount = z.union([z.string(), z.bigint(), z.int()]).transform(BigInt);
export const storedHash = z.string().transform((text) => text as Hex);
export const storedAddress = z.string().transform((text) => text as Address);

export interface MinedTransaction {
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
}

export interface TransactionVariant extends TransactionFees {
  readonly number: number;
  readonly hash: Hex;
  readonly raw: Hex;
  /** Without operations: it takes the nonce of a transaction that every node refuses. */
  readonly isEmpty: boolean;
  /** The newest block when it was stored. */
  readonly blockNumber: bigint;
}

/**
 * Why an empty variant takes the nonce of a transaction:
 * - `refused`: every node refuses it
 * - `unmined`: no block takes it, although its fees cover the base fee
 * - `unpaid`: its operations pay less than a block costs by now, and later transactions wait for it
 * - `expiring`: the signature of a sponsor ends soon, and the whole transaction would revert
 */
export type GiveUpReason = 'refused' | 'unmined' | 'unpaid' | 'expiring';

export interface NewTransaction {
  readonly nonce: number;
  readonly entryPoint: Address;
  readonly data: Hex;
  readonly gas: bigint;
  readonly operationIds: readonly string[];
  readonly variant: Omit<TransactionVariant, 'number' | 'isEmpty'>;
}

const bytes = z.string().transform((hex): Hex => `0x${hex}`);

export const executedTransaction = z.object({
  executor: storedAddress,
  entryPoint: storedAddress,
  data: bytes,
  gas: storedAmount,
});
/** A transaction of an executor as the chain has executed it. */
export type ExecutedTransaction = z.output<typeof executedTransaction>;

const bytesIfRead = bytes.nullable();

export const waitingTransaction = z.object({
  id: z.string(),
  nonce: z.coerce.number().int(),
  entryPoint: storedAddress,
  data: bytesIfRead,
  gas: storedAmount,
  state: z.enum(['pending', 'mined']),
  /** The newest block when every node began to refuse it; null if none or not every one does. */
  refusedSinceBlock: storedAmount.nullable(),
  /** Whether the transaction has been refused for longer than nodes may be in trouble. */
  isRefusedForLong: z.boolean(),
  /** Whether the transaction was stored as long ago as it waits at least before its nonce is given up. */
  isOld: z.boolean(),
  /** The signature of a sponsor ends before the transaction can be relied on to be mined. */
  isExpiring: z.boolean(),
  /** An empty variant is to take its nonce. */
  isGivenUp: z.boolean(),
  /** The least that its operations pay, in which cancellations do not count. Null without operations that pay. */
  paidMaxFee: storedAmount.nullable(),
  paidPriorityFee: storedAmount.nullable(),
  variants: z.array(
    z.object({
      number: z.int(),
      hash: storedHash,
      raw: bytesIfRead,
      isEmpty: z.boolean(),
      maxFeePerGas: storedAmount,
      maxPriorityFeePerGas: storedAmount,
      blockNumber: storedAmount,
    }),
  ),
});

/** A stored transaction whose nonce the executor has not used. After a reorganisation it may be stored as `mined`. */
export interface WaitingTransaction extends Omit<z.output<typeof waitingTransaction>, 'data' | 'variants'> {
  readonly data: Hex;
  readonly variants: readonly TransactionVariant[];
}

export const usedTransaction = z.object({
  id: z.string(),
  nonce: z.coerce.number().int(),
  state: z.enum(['pending', 'mined']),
  /** Hashes of all variants, in the order in which they were sent. */
  hashes: z.array(storedHash),
  /** Hashes of the variants that contain no operations. */
  emptyHashes: z.array(storedHash),
});
/** A stored transaction whose nonce the executor has used. */
export type UsedTransaction = z.output<typeof usedTransaction>;
