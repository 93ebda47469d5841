import { HttpException } from '@nestjs/common';
import { AppError, HTTP_ERROR_NAMES, internalServerError, isHttpErrorStatus } from '@app/common';
import { UnexpectedStatusError } from './internal-client.js';

/** An error of Express, body-parser or http-errors. */
interface StatusError {
  status: number;
  message: string;
  type?: string;
}

function isStatusError(error: unknown): error is StatusError {
  return typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number';
}

function fromStatus(status: number, code: string, message: string, cause: unknown): AppError {
  if (status >= 500 || !isHttpErrorStatus(status)) return toInternalError(cause);
  return new AppError(HTTP_ERROR_NAMES[status], status, message, { code }, { cause });
}

/** Hides the cause from the client; ErrorFilter logs it. */
function toInternalError(cause: unknown): AppError {
  return internalServerError('internal_error', 'An internal error occurred.', {}, { cause });
}

function describeStatusError({ status, type, message }: StatusError): { code: string; message: string } {
  if (type === 'entity.too.large')
    return { code: 'body_limit_exceeded', message: 'The body is too large after decompression.' };
  if (type === 'encoding.unsupported') return { code: 'content_encoding_not_supported', message };
  if (status === 400 && type === undefined) {
    return { code: 'request_invalid', message: `The request is not valid: ${message}.` };
  }
  return { code: (type ?? 'refused').replaceAll('.', '_'), message };
}

/** Converts anything thrown to an error that a client may see, with the original as `cause`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // The status is another app's response to this app, not an error of the client.
  if (error instanceof UnexpectedStatusError) return toInternalError(error);
  if (error instanceof HttpException) {
    const status = error.getStatus();
    return status === 404
      ? fromStatus(404, 'path_not_found', 'There is nothing at this path.', error)
      : fromStatus(status, 'refused', error.message, error);
  }
  if (isStatusError(error)) {
    const { code, message } = describeStatusError(error);
    return fromStatus(error.status, code, message, error);
  }
  return toInternalError(error);
}
