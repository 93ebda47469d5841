import { badRequest, conflict, notFound } from '@app/common';

export const checkNotFound = () => notFound('check_not_found', 'There is no such check.');

export const checkNotFinished = () => conflict('check_result_required', 'The check has no result yet.');

export const idempotencyKeyInvalid = () =>
  badRequest('input_invalid', 'Idempotency-Key: must be 1 to 255 visible ASCII characters', {
    issues: [{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }],
  });
