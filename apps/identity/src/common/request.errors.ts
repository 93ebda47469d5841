import { badRequest } from '@app/common';

/** 400 for what stands in one field. @param path empty for the whole body */
export const invalidField = (code: string, path: string, message: string) =>
  badRequest(code, `${path}: ${message}`, { issues: [{ path, message }] });
