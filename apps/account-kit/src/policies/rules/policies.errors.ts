import { badRequest, conflict, forbidden, notFound } from '@app/common';

/** @param issue where in the request, if a part of it is the reason */
export const policyForbidden = (reason: string, issue?: { path: string; message: string }) =>
  forbidden(
    'policy_forbidden',
    `The policy does not allow this: ${reason}.`,
    issue ? { issues: [issue] } : {},
  );

export const idempotencyKeyRequired = () =>
  badRequest(
    'idempotency_key_required',
    'The policy of your client application needs the header Idempotency-Key, a text of your choice for each operation.',
    { issues: [{ path: 'Idempotency-Key', message: 'is missing' }] },
  );

/** @param availableAt when the limit is free again */
export const policyLimitExceeded = (limit: string, availableAt: Date) =>
  forbidden(
    'policy_limit_exceeded',
    `The limit of ${limit} is reached; it is free again at ${availableAt.toISOString()}.`,
    { limit, availableAt: availableAt.toISOString() },
  );

export const policyConflict = () =>
  conflict(
    'policy_conflict',
    'The policy was changed since this revision: read it again, then send your change with its new revision.',
  );

export const policyNotFound = () =>
  notFound('policy_not_found', 'The client application has no policy of its own: DEFAULT_POLICY decides.');
