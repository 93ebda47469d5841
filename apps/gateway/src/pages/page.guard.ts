import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { PAGES_OPERATION_ID } from '@app/auth';
import type { Request, Response } from 'express';
import { AddressRateLimiter, getAddressBucket } from '../pipeline/admit/address-rate-limiter.js';
import { LoadMonitor } from '../pipeline/admit/load-monitor.js';
import { isPagePath } from './is-page-path.js';
import { checkRequestTarget } from '../pipeline/match/check-request-target.js';
import { pathMethodNotAllowed, pathNotFound } from '../pipeline/match/match.errors.js';

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
