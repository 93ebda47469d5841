import { Page } from '@app/auth';
import {
  applyDecorators,
  Controller,
  UseFilters,
  UseGuards,
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Injectable,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PageSessionGuard } from './sessions/page-session.guard.js';
import { getHeader, logServerError, ServiceContext, toAppError } from '@app/service';
import type { Request, Response } from 'express';
import { HOME_PATH, toLoginPath } from './sessions/login-path.js';
import { LoginHostRequiredError, SignInRequiredError } from './sessions/page-session.errors.js';
import { PageRenderer } from './views/page-renderer.js';

/** Renders errors as pages. Redirects to the login page or the login host where required. */
@Catch()
@Injectable()
class PageFilter implements ExceptionFilter {
  constructor(
    private readonly pages: PageRenderer,
    private readonly context: ServiceContext,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (thrown instanceof SignInRequiredError) {
      response.redirect(303, toLoginPath(getReturnPath(request, thrown.returnPath), thrown.requiresNewLogin));
      return;
    }
    if (thrown instanceof LoginHostRequiredError) {
      response.redirect(303, thrown.url);
      return;
    }
    const error = toAppError(thrown);
    const { statusCode, message, details } = error;
    const { requestId } = request;
    logServerError(this.context.logger, error, requestId);
    const { retryAfter } = details;
    if (typeof retryAfter === 'number') response.setHeader('Retry-After', String(retryAfter));
    const options = { title: TITLES[statusCode] ?? 'Something went wrong', status: statusCode };
    this.pages.send(
      response,
      'problem',
      { message, requestId },
      { ...options, session: request.pageSession },
    );
  }
}

/** The page to return to after the login: the requested page, or the one with the submitted form. */
function getReturnPath(request: Request, path: string): string {
  if (request.method === 'GET') return path;
  const referer = getHeader(request, 'referer') ?? '';
  return URL.canParse(referer) ? new URL(referer).pathname : HOME_PATH;
}

const TITLES: Record<number, string> = {
  400: 'Invalid request',
  403: 'Access denied',
  404: 'Page not found',
  409: 'Conflict',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
};

/** A controller that renders pages and shows errors as pages. */
export const PageController = (path: string): ClassDecorator =>
  applyDecorators(
    Page(),
    ApiExcludeController(),
    UseGuards(PageSessionGuard),
    UseFilters(PageFilter),
    Controller(path),
  );

/** A controller for the pages' scripts: the same guard, but JSON errors. */
export const ScriptController = (path: string): ClassDecorator =>
  applyDecorators(Page(), ApiExcludeController(), UseGuards(PageSessionGuard), Controller(path));
