import { AppError, conflict, notFound, tooManyRequests, RETRY_AFTER_SECONDS } from '@app/common';

export const accountDeploying = () =>
  conflict(
    'account_deploying',
    'The first operation of this account deploys it: send the next one when that is included and the chain shows the account.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
  );

export const unfinishedOperationLimitExceeded = (limit: number) =>
  tooManyRequests(
    'unfinished_operation_limit_exceeded',
    `The account has ${limit} unfinished operations on this chain: wait until one of them is included.`,
    { retryAfter: RETRY_AFTER_SECONDS.progress },
  );

/** Whether an operation was refused because of others of its account that are unfinished. */
export const isRefusedForOthers = (error: unknown): boolean =>
  error instanceof AppError &&
  ['account_deploying', 'unfinished_operation_limit_exceeded'].includes(String(error.details['code']));

export const operationNotFound = () =>
  notFound('user_operation_not_found', 'The account has no such user operation on this chain.');

export const idempotencyKeyConflict = () =>
  conflict('idempotency_key_conflict', 'A different request was made with this Idempotency-Key.');
