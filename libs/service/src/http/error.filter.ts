import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { toErrorEnvelope } from '@app/common';
import type { Request, Response } from 'express';
import type { Logger } from '../logging/logger.js';
import { toAppError } from './to-app-error.js';

/** Renders every failure as the envelope of spec.md 2.3, and logs those that are ours. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly isDevelopment: boolean,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const error = toAppError(thrown);
    const { requestId } = request;
    if (error.statusCode === 500)
      this.logger.error({ requestId, err: error.cause ?? error }, 'request failed');

    if (response.headersSent) {
      // Half an answer cannot be taken back; cutting the connection tells the caller that it is not whole.
      response.destroy();
      return;
    }
    const { retryAfter, allow } = error.details;
    if (typeof retryAfter === 'number') response.setHeader('Retry-After', String(retryAfter));
    if (Array.isArray(allow)) response.setHeader('Allow', allow.join(', '));
    if (error.statusCode === 401) response.setHeader('WWW-Authenticate', WWW_AUTHENTICATE);
    // What we did not read of the body would be taken for the next request of this connection.
    if (!request.complete) response.setHeader('Connection', 'close');
    response
      .status(error.statusCode)
      .json(toErrorEnvelope(error, { requestId, withStack: this.isDevelopment }));
  }
}

/** The schemes that `Authorization` may carry (contract.md section 1), in the form of RFC 9110 section 11.6.1. */
const WWW_AUTHENTICATE = 'Bearer realm="gatehouse", AE realm="gatehouse", Ethereum realm="gatehouse"';
