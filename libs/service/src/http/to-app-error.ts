import { HttpException } from '@nestjs/common';
import {
  AppError,
  badRequest,
  forbidden,
  internalServerError,
  notFound,
  payloadTooLarge,
  requestTimeout,
  unsupportedMediaType,
} from '@app/common';
import { UnexpectedStatusError } from './internal-client.js';

/** An error of Express, body-parser or http-errors. */
interface StatusError {
  status: number;
  message: string;
}

function isStatusError(error: unknown): error is StatusError {
  return typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number';
}

/** Hides the cause from the client; ErrorFilter logs it. */
function toInternalError(cause: unknown): AppError {
  return internalServerError('internal_error', 'An internal error occurred.', {}, { cause });
}

/** What Nest, Express, body-parser and the router refuse, by the status of their error. */
const REFUSALS: Partial<Record<number, (message: string, options: ErrorOptions) => AppError>> = {
  400: (message, options) =>
    badRequest('request_invalid', `The request is not valid: ${message}.`, {}, options),
  403: (message, options) => forbidden('request_forbidden', message, {}, options),
  404: (_message, options) => notFound('path_not_found', 'There is nothing at this path.', {}, options),
  408: (message, options) => requestTimeout('request_timeout', message, {}, options),
  413: (_message, options) =>
    payloadTooLarge('body_limit_exceeded', 'The body is too large after decompression.', {}, options),
  415: (message, options) => unsupportedMediaType('content_encoding_not_supported', message, {}, options),
};

function fromStatus(status: number, message: string, cause: unknown): AppError {
  return REFUSALS[status]?.(message, { cause }) ?? toInternalError(cause);
}

/** Converts anything thrown to an error that a caller may see. The original is kept as `cause`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // The status is another app's response to this app, not an error of the client.
  if (error instanceof UnexpectedStatusError) return toInternalError(error);
  if (error instanceof HttpException) return fromStatus(error.getStatus(), error.message, error);
  if (isStatusError(error)) return fromStatus(error.status, error.message, error);
  return toInternalError(error);
}
