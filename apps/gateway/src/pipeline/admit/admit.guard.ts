import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ANONYMOUS_CALLER } from '../../credentials/authenticated-caller.js';
import { getRequestContext } from '../../request-context.js';
import { CallerCache } from '../authenticate/caller-cache.js';
import { AddressRateLimiter, getAddressBucket } from './address-rate-limiter.js';
import { LoadMonitor } from './load-monitor.js';
import { UnknownKeyQueue } from './unknown-key-queue.js';
import { PipelineGuard } from '../pipeline-guard.js';

/**
 * Sheds load and applies the rate limit per IP address before any expensive work such as a signature check. Callers whose
 * credentials are cached, or being verified already, do not count towards their address, nor do new API keys once identity knows them.
 */
@Injectable()
export class AdmitGuard extends PipelineGuard {
  constructor(
    private readonly load: LoadMonitor,
    private readonly callers: CallerCache,
    private readonly addresses: AddressRateLimiter,
    private readonly unknownKeys: UnknownKeyQueue,
  ) {
    super();
  }

  check(request: Request, response: Response): true | Promise<true> {
    const caller = this.callers.get(request);
    this.load.admit(response, caller?.client?.ownerId ?? getAddressBucket(request));
    const isExempt = caller ? caller !== ANONYMOUS_CALLER : this.callers.isVerificationInProgress(request);
    getRequestContext(request).caller = caller;
    if (isExempt) return true;
    if (this.callers.hasUnknownKey(request)) return this.admitUnknownKey(request, response);
    this.addresses.consume(request, response);
    return true;
  }

  private async admitUnknownKey(request: Request, response: Response): Promise<true> {
    const giveBack = await this.unknownKeys.consume(request, response);
    const context = getRequestContext(request);
    // Another request may have asked for the key meanwhile.
    context.caller = this.callers.get(request);
    if (context.caller || this.callers.isVerificationInProgress(request)) giveBack();
    else context.giveBackToAddress = giveBack;
    return true;
  }
}
