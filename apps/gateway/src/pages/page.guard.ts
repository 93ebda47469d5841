import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { PAGES } from '@app/auth';
import type { Request, Response } from 'express';
import { AddressLimit } from '../admit/address-limit.js';
import { LoadMonitor } from '../admit/load-monitor.js';
import { checkTarget } from '../match/check-target.js';
import { noSuchMethod, noSuchPath } from '../match/match.errors.js';
import { isPage } from './is-page.js';

const METHODS = ['GET', 'HEAD', 'POST'];

/**
 * May this browser see a page? Here nobody shows a credential that the gateway knows: what there is is a session, which
 * identity asks for. So every request counts on its address.
 */
@Injectable()
export class PageGuard implements CanActivate {
  constructor(
    private readonly load: LoadMonitor,
    private readonly addresses: AddressLimit,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    request.operation = PAGES;
    this.load.admit(response);
    this.addresses.charge(request, response);
    // Routes match in any case, paths do not.
    if (!isPage(checkTarget(request.url))) throw noSuchPath();
    if (!METHODS.includes(request.method)) throw noSuchMethod(METHODS);
    return true;
  }
}
