import type { AppError } from '@app/common';
import { ErrorFilter, ServiceContext } from '@app/service';
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
import type { Destination } from '../pipeline/forward/destination.js';
import { ForwardService } from '../pipeline/forward/forward.service.js';
import { checkRequestTarget } from '../pipeline/match/check-request-target.js';
import { pathMethodNotAllowed, pathNotFound } from '../pipeline/match/match.errors.js';
import { ERROR_PAGE_HEADERS, renderErrorPage } from './error-page.js';
import { isPagePath } from './is-page-path.js';

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
