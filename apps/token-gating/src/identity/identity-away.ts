import { AppError } from '@app/common';

/** Whether a question failed because identity could not be asked, and for no other reason. */
export const isIdentityAway = (error: unknown): error is AppError =>
  error instanceof AppError && error.details['code'] === 'identity_unavailable';
