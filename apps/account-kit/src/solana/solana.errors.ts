import {
  type AppError,
  badRequest,
  conflict,
  notFound,
  tooManyRequests,
  RETRY_AFTER_SECONDS,
} from '@app/common';

export const networkNotSupported = (network: string): AppError =>
  badRequest('network_not_supported', `This deployment has no nodes of the network ${network}.`, {
    issues: [{ path: 'network', message: 'is not a network of this deployment' }],
  });

/** @param err as Solana's nodes write it */
export const wouldRevert = (err: unknown, logs: readonly string[]): AppError =>
  conflict(
    'would_revert',
    'The simulation of the transaction failed: `details.err` says why. Nothing was sent.',
    { err, logs },
  );

export const accountLamportsRequired = ({
  required,
  available,
}: {
  readonly required: bigint;
  readonly available: bigint;
}): AppError =>
  conflict(
    'account_funds_required',
    'The account has less SOL than the transaction takes from it: send SOL to it. Nothing was sent.',
    { requiredLamports: String(required), availableLamports: String(available) },
  );

export const transactionOfOtherAccount = (): AppError =>
  conflict('transaction_conflict', 'The same transaction was submitted for another account.');

export const solanaTransactionNotFound = (): AppError =>
  notFound('solana_transaction_not_found', 'This account has submitted no transaction with this signature.');

export const tooManyUnfinished = (limit: number): AppError =>
  tooManyRequests(
    'unfinished_transaction_limit_exceeded',
    `The account has ${limit} transactions on this network that are not final yet. Try again later.`,
    { retryAfter: RETRY_AFTER_SECONDS.upstream },
  );
