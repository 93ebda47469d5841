import { Catch, Injectable } from '@nestjs/common';
import type { AppError } from '@app/common';
import { ErrorFilter, ServiceContext } from '@app/service';
import type { Request, Response } from 'express';
import { ERROR_PAGE_HEADERS, renderErrorPage } from './error-page.js';

/** Renders errors as HTML for clients that prefer it, else as the error envelope. */
@Catch()
@Injectable()
export class PageErrorFilter extends ErrorFilter {
  constructor({ logger, config }: ServiceContext) {
    super(logger, config.NODE_ENV === 'development');
  }

  protected override send(error: AppError, request: Request, response: Response): void {
    response.vary('Accept');
    if (request.accepts(['json', 'html']) !== 'html') {
      super.send(error, request, response);
      return;
    }
    const { message, statusCode, details } = error;
    const title = TITLES[statusCode] ?? 'Something went wrong';
    const retryAfter = typeof details.retryAfter === 'number' ? details.retryAfter : undefined;
    response.set(ERROR_PAGE_HEADERS).type('html');
    response.end(renderErrorPage({ title, message, requestId: request.requestId, retryAfter }));
  }
}

const TITLES: Record<number, string> = {
  404: 'Page not found',
  413: 'The request is too large',
  429: 'Too many requests',
  502: 'The service is unavailable',
  503: 'The service is unavailable',
  504: 'The service is unavailable',
};
