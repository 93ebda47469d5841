import { type AppError, badRequest } from '@app/common';

/** The error for all time parameters of a report, which depend on each other. */
export const invalidTimeParameter = (path: 'range' | 'interval' | 'timeZone', message: string): AppError =>
  badRequest('input_invalid', `${path}: ${message}`, { issues: [{ path, message }] });
