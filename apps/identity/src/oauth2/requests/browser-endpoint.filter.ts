import { AppError } from '@app/common';
import { logServerError, ServiceContext } from '@app/service';
import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { createErrorPage } from '../provider/error-page.js';

/** Renders errors of browser endpoints as a page. */
@Catch(AppError)
@Injectable()
export class BrowserEndpointFilter implements ExceptionFilter<AppError> {
  constructor(private readonly context: ServiceContext) {}

  catch(thrown: AppError, host: ArgumentsHost): void {
    const { statusCode, message, details } = thrown;
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    logServerError(this.context.logger, thrown, http.getRequest<Request>().requestId);
    const error = statusCode < 500 ? 'invalid_request' : 'server_error';
    const { headers, html } = createErrorPage({ error, description: message });
    if (typeof details['retryAfter'] === 'number')
      response.setHeader('Retry-After', String(details['retryAfter']));
    response.status(statusCode).set(headers).type('html').send(html);
  }
}
