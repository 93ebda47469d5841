import { notImplemented } from '@app/common';
import type { TokenGatingRequest } from '@app/dto';

/** @throws AppError 501 for a check whose result is to be polled or posted. */
export function refuseAsynchronous(request: TokenGatingRequest): void {
  if (request.async !== true && request.callbackUrl === undefined) return;
  throw notImplemented(
    'asynchronous_not_available',
    'Asynchronous checks are not available yet: leave out async and callbackUrl to get the roles at once.',
  );
}
