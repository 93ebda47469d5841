import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ANONYMOUS_CALLER } from '../../credentials/authenticated-caller.js';
import { CallerCache } from '../authenticate/caller-cache.js';
import { getRequestContext } from '../../request-context.js';
import { AddressRateLimiter } from './address-rate-limiter.js';
import { LoadMonitor } from './load-monitor.js';

/**
 * May this request cost us anything at all? Before any signature check or question to a node: no more than the process
 * can bear, and no more than an address may ask for while we do not know who is asking.
 */
@Injectable()
export class AdmitGuard implements CanActivate {
  constructor(
    private readonly load: LoadMonitor,
    private readonly callers: CallerCache,
    private readonly addresses: AddressRateLimiter,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    this.load.admit(response);
    const request = http.getRequest<Request>();
    const caller = this.callers.get(request);
    const isFree = caller ? caller !== ANONYMOUS_CALLER : this.callers.isVerificationInProgress(request);
    if (!isFree) this.addresses.consume(request, response);
    getRequestContext(request).caller = caller;
    return true;
  }
}
