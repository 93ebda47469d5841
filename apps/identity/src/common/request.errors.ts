import { badRequest, forbidden } from '@app/common';

/** 400 for one invalid field. @param path empty for the whole body */
export const invalidField = (code: string, path: string, message: string) =>
  badRequest(code, `${path}: ${message}`, { issues: [{ path, message }] });

/** 403 for a request without a client application. */
export const clientApplicationRequired = () =>
  forbidden('client_required', 'This operation is for a client application.');
