import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type AppError, toErrorEnvelope } from '@app/common';
import type { Request, Response } from 'express';
import type { Logger } from '../observability/logger.js';
import { logServerError } from './log-server-error.js';
import { MAX_BODY_BYTES } from './read-body.js';
import { toAppError } from './to-app-error.js';

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
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
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
    response.json(toErrorEnvelope(error, { requestId, withStack: this.isDevelopment }));
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
