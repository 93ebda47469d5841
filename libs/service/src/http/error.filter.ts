import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type AppError, toErrorEnvelope } from '@app/common';
import type { Request, Response } from 'express';
import type { Logger } from '../observability/logger.js';
import { logServerError } from './log-server-error.js';
import { MAX_BODY_BYTES } from './read-body.js';
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
    logServerError(this.logger, error, request.requestId);

    if (response.headersSent) {
      // Half an answer cannot be taken back; cutting the connection tells the caller that it is not whole.
      response.destroy();
      return;
    }
    const { retryAfter, allow } = error.details;
    if (typeof retryAfter === 'number') response.setHeader('Retry-After', String(retryAfter));
    if (Array.isArray(allow)) response.setHeader('Allow', allow.join(', '));
    if (error.statusCode === 401) response.setHeader('WWW-Authenticate', WWW_AUTHENTICATE);
    if (leavesTooMuchUnread(request)) response.setHeader('Connection', 'close');
    response.status(error.statusCode);
    this.send(error, request, response);
  }

  /** The body; status and headers are there already. */
  protected send(error: AppError, { requestId }: Request, response: Response): void {
    response.json(toErrorEnvelope(error, { requestId, withStack: this.isDevelopment }));
  }
}

/** node reads on to the end of a body that nobody wanted, for the sake of the connection: of a small one only. */
const leavesTooMuchUnread = (request: Request): boolean =>
  !request.complete && !(Number(request.headers['content-length']) <= MAX_BODY_BYTES);

/** The schemes that `Authorization` may carry (contract.md section 1), in the form of RFC 9110 section 11.6.1. */
const WWW_AUTHENTICATE = 'Bearer realm="gatehouse", AE realm="gatehouse", Ethereum realm="gatehouse"';
