import {
  AppError,
  badRequest,
  forbidden,
  internalServerError,
  notFound,
  payloadTooLarge,
  requestTimeout,
  unsupportedMediaType,
  toErrorEnvelope,
} from '@app/common';
import type { Logger } from '../observability/logger.js';
import { HttpException, type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { UnexpectedStatusError } from './internal-client.js';
import type { Request, Response } from 'express';
import { MAX_BODY_BYTES } from './read-body.js';
import { sendJson } from './send-json.js';

/** Logs an error with status 5xx; client errors are not logged. */
export function logServerError(logger: Logger, error: AppError, requestId: string): void {
  const { statusCode, cause } = error;
  if (statusCode === 500) logger.error({ requestId, err: cause ?? error }, 'request failed');
  else if (statusCode > 500 && cause !== undefined)
    logger.warn({ requestId, err: cause }, 'request could not be served');
}

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

/** Responds to every error with the envelope of spec.md 2.3, and logs server errors. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly isDevelopment: boolean,
    private readonly challenge = createChallenge(),
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(thrown, http.getRequest<Request>(), http.getResponse<Response>());
  }

  /** Responds to anything that was thrown while a request was handled. */
  respond(thrown: unknown, request: Request, response: Response): void {
    const error = toAppError(thrown);
    logServerError(this.logger, error, request.requestId);

    if (response.headersSent) {
      // Closing the connection is the only way to mark a response that has begun as incomplete.
      response.destroy();
      return;
    }
    // An operation may have set what is true of its answer only.
    response.removeHeader('Content-Type');
    response.setHeader('Cache-Control', 'no-store');
    const { retryAfter, allow } = error.details;
    if (typeof retryAfter === 'number') response.setHeader('Retry-After', String(retryAfter));
    if (Array.isArray(allow)) response.setHeader('Allow', allow.join(', '));
    if (error.statusCode === 401) response.setHeader('WWW-Authenticate', this.challenge);
    if (hasLargeUnreadBody(request)) response.setHeader('Connection', 'close');
    response.status(error.statusCode);
    this.send(error, request, response);
  }

  /** Sends the body; status and headers are set. */
  protected send(error: AppError, { requestId }: Request, response: Response): void {
    sendJson(response, toErrorEnvelope(error, { requestId, withStack: this.isDevelopment }));
  }
}

/** Node reads the rest of an unread body to keep the connection alive, which is not worth it for a large one. */
const hasLargeUnreadBody = (request: Request): boolean =>
  !request.complete && !(Number(request.headers['content-length']) <= MAX_BODY_BYTES);

/**
 * The authentication schemes of contract.md section 1, as RFC 9110 section 11.6.1 writes them.
 * @param publicUrl where clients find the metadata of this API (RFC 9728 section 5.1)
 */
export function createChallenge(publicUrl?: string): string {
  const metadata =
    publicUrl === undefined ? '' : `, resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`;
  return `Bearer realm="gatehouse"${metadata}, AE realm="gatehouse", Ethereum realm="gatehouse"`;
}
