import { type AppError, conflict, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

export const sponsorUnavailable = (cause?: unknown): AppError =>
  serviceUnavailable(
    'sponsor_unavailable',
    'The sponsor cannot pay at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.refill },
    { cause },
  );

export const accountFundsRequired = (required: bigint, available: bigint) =>
  conflict('account_funds_required', 'The account cannot pay for this operation: send native tokens to it.', {
    requiredWei: String(required),
    availableWei: String(available),
  });

export const operationUnavailable = () =>
  serviceUnavailable('operation_unavailable', 'The operation could not be signed: try again.', {
    retryAfter: RETRY_AFTER_SECONDS.progress,
  });
