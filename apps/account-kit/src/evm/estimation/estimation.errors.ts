import { conflict, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

export const feesTooHigh = () =>
  serviceUnavailable(
    'fees_too_high',
    'The chain asks for a higher fee than this deployment pays: try again when fees have fallen.',
    { retryAfter: RETRY_AFTER_SECONDS.refill },
  );

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
