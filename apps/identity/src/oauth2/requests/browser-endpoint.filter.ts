import { AppError } from '@app/common';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { errorPage } from '../provider/error-page.js';

/** A person is looking: what is wrong is told by a page. */
@Catch(AppError)
export class BrowserEndpointFilter implements ExceptionFilter<AppError> {
  catch({ statusCode, message, details }: AppError, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const error = statusCode < 500 ? 'invalid_request' : 'server_error';
    const { headers, html } = errorPage({ error, description: message });
    if (typeof details['retryAfter'] === 'number')
      response.setHeader('Retry-After', String(details['retryAfter']));
    response.status(statusCode).set(headers).type('html').send(html);
  }
}
