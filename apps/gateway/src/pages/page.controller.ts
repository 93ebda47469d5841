import {
  All,
  type CanActivate,
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
import { PageErrorFilter } from './page-error.filter.js';

const METHODS = ['GET', 'HEAD', 'POST'];

/** Sheds load and limits page requests per IP address: the gateway does not know the sessions of browsers. */
@Injectable()
export class PageGuard implements CanActivate {
  constructor(
    private readonly load: LoadMonitor,
    private readonly addresses: AddressRateLimiter,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    this.admit(request, http.getResponse<Response>());
    // Express matches routes case-insensitively.
    if (!isPagePath(checkRequestTarget(request.url))) throw pathNotFound();
    if (!METHODS.includes(request.method)) throw pathMethodNotAllowed(METHODS);
    return true;
  }

  /** @throws AppError 429, 503 */
  admit(request: Request, response: Response): void {
    request.operation = PAGES_OPERATION_ID;
    this.load.admit(response, getAddressBucket(request));
    this.addresses.consume(request, response);
  }
}

export const PAGES: Destination = {
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
    return this.forwarder.forward(PAGES, request, response);
  }
}
