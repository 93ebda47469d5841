import type { Hex } from 'viem';
import type { UserOperationFields } from '../../../evm/operations/user-operation.js';
import { MAX_TRANSACTION_GAS } from '../../../evm/estimation/gas-costs.js';
import { addOperation, type BundleSize, EMPTY_BUNDLE, toBundleGas } from './estimate-bundle-gas.js';

/** Call data of one transaction. geth and its forks refuse transactions above 131,072 bytes (`txMaxSize`). */
export const MAX_BUNDLE_BYTES = 100_000;

/** What one transaction of an executor may have on a chain at this moment. */
export interface BundleLimits {
  readonly maxGas: bigint;
  readonly maxBytes: number;
}

/** A limit that a bundle does not keep, what the bundle needs, and what is allowed. */
export interface ExceededLimit {
  readonly limit: 'gas' | 'bytes';
  readonly required: bigint;
  readonly allowed: bigint;
}

/** A block of a transaction that uses all of the gas would come late. Block gas limits fall by 1/1,024 a block at most. */
const BLOCK_SHARE = { numerator: 9n, denominator: 10n };

const SIGNATURE: Hex = `0x${'00'.repeat(65)}`;

/**
 * @param bundleGas EXECUTOR_BUNDLE_GAS
 * @param blockGasLimit that of the newest block: it may fall after an operation was signed
 */
export function toBundleLimits(bundleGas: number, blockGasLimit: bigint): BundleLimits {
  const blockShare = (blockGasLimit * BLOCK_SHARE.numerator) / BLOCK_SHARE.denominator;
  const configured = BigInt(Math.min(bundleGas, MAX_TRANSACTION_GAS));
  return { maxGas: configured < blockShare ? configured : blockShare, maxBytes: MAX_BUNDLE_BYTES };
}

export function findExceededLimit(bundle: BundleSize, limits: BundleLimits): ExceededLimit | undefined {
  const { maxGas, maxBytes } = limits;
  if (bundle.bytes > maxBytes)
    return { limit: 'bytes', required: BigInt(bundle.bytes), allowed: BigInt(maxBytes) };
  const gas = toBundleGas(bundle);
  return gas > maxGas ? { limit: 'gas', required: gas, allowed: maxGas } : undefined;
}

/** An operation that may be unsigned yet. */
type PlannedOperation = UserOperationFields & { readonly signature?: Hex };

const toSizeAlone = (operation: PlannedOperation): BundleSize =>
  addOperation(EMPTY_BUNDLE, { signature: SIGNATURE, ...operation });

/** The gas limit of a transaction with nothing but the operation. */
export const toGasAlone = (operation: PlannedOperation): bigint => toBundleGas(toSizeAlone(operation));

/** The limit that an operation exceeds in a transaction of its own, so that no executor can send it. */
export const findLimitOfOperation = (
  operation: PlannedOperation,
  limits: BundleLimits,
): ExceededLimit | undefined => findExceededLimit(toSizeAlone(operation), limits);
