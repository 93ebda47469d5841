import { type AppError, badRequest } from '@app/common';

/** One error for the parameters of a report's time, which depend on each other. */
export const invalidTimeParameter = (path: 'range' | 'interval' | 'timeZone', message: string): AppError =>
  badRequest('input_invalid', `${path}: ${message}`, { issues: [{ path, message }] });
