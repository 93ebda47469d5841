import { createStaticPageHeaders, ErrorFilter, ServiceContext } from '@app/service';
import { Eta } from 'eta';
import type { AppError } from '@app/common';
import {
  All,
  type CanActivate,
  Catch,
  Controller,
  type ExecutionContext,
  Injectable,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PAGES_OPERATION_ID } from '@app/auth';
import type { Request, Response } from 'express';
import { AddressRateLimiter, getAddressBucket } from '../pipeline/admit/address-rate-limiter.js';
import { LoadMonitor } from '../pipeline/admit/load-monitor.js';
import type { Destination } from '../pipeline/forward/upstream-registry.js';
import { ForwardService } from '../pipeline/forward/forward.service.js';
import { checkRequestTarget } from '../pipeline/match/check-request-target.js';
import { pathMethodNotAllowed, pathNotFound } from '../pipeline/match/match.errors.js';
import { isPagePath } from '../own-paths.js';

export interface ErrorPage {
  title: string;
  message: string;
  requestId: string;
  /** Seconds until a retry may succeed. */
  retryAfter?: number;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; margin: 15vh auto; max-width: 34rem; padding: 0 1.5rem; }
`;

const TEMPLATE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title><%= it.title %> · Gatehouse</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1><%= it.title %></h1>
      <p><%= it.message %></p>
      <% if (it.retryAfter !== undefined) { %>
      <p>Reload this page in <%= it.retryAfter %> seconds.</p>
      <% } %>
      <p>If you contact support, include the request id <code><%= it.requestId %></code>.</p>
    </main>
  </body>
</html>
`;

const eta = new Eta({ autoEscape: true });
const template = eta.compile(TEMPLATE);

/** Renders a self-contained page for requests that identity could not answer. */
const renderErrorPage = (page: ErrorPage): string => eta.render(template, page);

const ERROR_PAGE_HEADERS = {
  ...createStaticPageHeaders(STYLE),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/** Renders errors as HTML for clients that prefer it, else as the error envelope. */
@Catch()
@Injectable()
class PageErrorFilter extends ErrorFilter {
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

const METHODS = ['GET', 'HEAD', 'POST'];

/** Sheds load and limits page requests per IP address: the gateway does not know the sessions of browsers. */
@Injectable()
class PageGuard implements CanActivate {
  constructor(
    private readonly load: LoadMonitor,
    private readonly addresses: AddressRateLimiter,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    request.operation = PAGES_OPERATION_ID;
    this.load.admit(response, getAddressBucket(request));
    this.addresses.consume(request, response);
    // Express matches routes case-insensitively.
    if (!isPagePath(checkRequestTarget(request.url))) throw pathNotFound();
    if (!METHODS.includes(request.method)) throw pathMethodNotAllowed(METHODS);
    return true;
  }
}

const IDENTITY: Destination = {
  id: PAGES_OPERATION_ID,
  upstream: 'identity',
  forwardedHeaders: ['cookie'],
  callerRequirement: 'none',
  maxWaitMs: 0,
};

/** Forwards pages to identity with the browser's cookies and an anonymous principal: identity checks the session. */
@ApiExcludeController()
@Controller()
@UseGuards(PageGuard)
@UseFilters(PageErrorFilter)
export class PageController {
  constructor(private readonly forwarder: ForwardService) {}

  @All(['login{/*path}', 'consent{/*path}', 'portal{/*path}', 'logout', 'wallet-links/*path', 'pages/*path'])
  forward(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.forwarder.forward(IDENTITY, request, response);
  }
}
