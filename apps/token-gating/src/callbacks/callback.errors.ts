import { badRequest, conflict, notFound } from '@app/common';

export const callbackMissing = () =>
  conflict(
    'callback_required',
    'The check was made without a callbackUrl, or its client application no longer receives this callback.',
  );

/** Deliveries of one result, so that redeliveries cannot keep it for an unlimited time. */
export const MAX_DELIVERIES_PER_RESULT = 10;

export const redeliveryLimitExceeded = () =>
  conflict(
    'redelivery_limit_exceeded',
    `The result was sent ${MAX_DELIVERIES_PER_RESULT} times: get it with its request id instead.`,
  );

export const callbackUrlInvalid = (reason: string) =>
  badRequest('input_invalid', `callbackUrl: ${reason}`, {
    issues: [{ path: 'callbackUrl', message: reason }],
  });

export const callbackNotFound = () =>
  notFound('callback_not_found', 'The client application has no callback URL for operations: register one.');
