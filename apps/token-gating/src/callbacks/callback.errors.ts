import { badRequest, conflict } from '@app/common';

export const callbackMissing = () =>
  conflict(
    'callback_required',
    'The check was made without a callbackUrl, or its client application no longer receives this callback.',
  );

export const callbackUrlInvalid = (reason: string) =>
  badRequest('input_invalid', `callbackUrl: ${reason}`, {
    issues: [{ path: 'callbackUrl', message: reason }],
  });
