import { AppError } from '@app/common';
import { getHeader, logServerError, ServiceContext } from '@app/service';
import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { createErrorPage } from '../provider/error-page.js';
import {
  FORM_CONTENT_TYPE,
  JSON_CONTENT_TYPE,
  negotiateContentType,
  toFormBody,
} from '../provider/negotiate-content-type.js';
import { OAUTH_PATHS } from '../provider/oauth-paths.js';

/** Renders errors that occur before oidc-provider handles a request in the format of RFC 6749 section 5.2. */
@Catch(AppError)
@Injectable()
export class ClientEndpointFilter implements ExceptionFilter<AppError> {
  constructor(private readonly context: ServiceContext) {}

  catch(thrown: AppError, host: ArgumentsHost): void {
    const { statusCode, message, details } = thrown;
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    logServerError(this.context.logger, thrown, request.requestId);
    const error = statusCode < 500 ? 'invalid_request' : 'server_error';
    const body = { error, error_description: toAscii(message) };
    const isForm =
      request.path === OAUTH_PATHS.token &&
      negotiateContentType(getHeader(request, 'accept'), (...types) => request.accepts(types)) !==
        JSON_CONTENT_TYPE;
    if (typeof details['retryAfter'] === 'number')
      response.setHeader('Retry-After', String(details['retryAfter']));
    if (!request.complete) response.setHeader('Connection', 'close');
    response.setHeader('Cache-Control', 'no-store').vary('Accept').status(statusCode);
    if (isForm) response.setHeader('Content-Type', FORM_CONTENT_TYPE).end(toFormBody(body));
    else response.json(body);
  }
}

/** RFC 6749 section 5.2 allows printable ASCII only, without double quotes and backslashes. */
const toAscii = (text: string): string => text.replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "'");

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
    const retryAfter = typeof details['retryAfter'] === 'number' ? details['retryAfter'] : undefined;
    const { headers, html } = createErrorPage({ error, description: message, retryAfter });
    if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
    response.status(statusCode).set(headers).type('html').send(html);
  }
}
