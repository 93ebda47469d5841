import { conflict, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

/** @param exceeded what a transaction with nothing but the operation would cost, and may cost, in wei; fewer calls may fit */
export const feesTooHigh = (exceeded?: { readonly required: bigint; readonly allowed: bigint }) =>
  serviceUnavailable(
    'fees_too_high',
    'The chain asks for a higher fee than this deployment pays: try again when fees have fallen.',
    {
      ...(exceeded && {
        limit: 'transactionCost',
        required: String(exceeded.required),
        allowed: String(exceeded.allowed),
      }),
      retryAfter: RETRY_AFTER_SECONDS.refill,
    },
  );

export const bundlerEstimateRefused = (exceeded: {
  readonly limit: string;
  readonly required: bigint;
  readonly allowed: bigint;
}) =>
  serviceUnavailable(
    'bundler_estimate_refused',
    'The bundler of the chain asks for more gas than this deployment pays: `details` says which limit. Try again later.',
    {
      limit: exceeded.limit,
      required: String(exceeded.required),
      allowed: String(exceeded.allowed),
      retryAfter: RETRY_AFTER_SECONDS.refill,
    },
  );

export const bundlerUnavailable = () =>
  serviceUnavailable('bundler_unavailable', 'The bundler of the chain gives no estimate: try again.', {
    retryAfter: RETRY_AFTER_SECONDS.upstream,
  });

export const operationTooLarge = (exceeded: {
  readonly limit: 'gas' | 'bytes';
  readonly required: bigint;
  readonly allowed: bigint;
}) =>
  conflict(
    'operation_too_large',
    'The operation does not fit into one transaction: `details` says which limit it exceeds. Split its calls.',
    {
      limit: exceeded.limit,
      required: String(exceeded.required),
      allowed: String(exceeded.allowed),
    },
  );
