import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ANONYMOUS_CALLER } from '../../credentials/authenticated-caller.js';
import { getRequestContext } from '../../request-context.js';
import { CallerCache } from '../authenticate/caller-cache.js';
import { AddressRateLimiter, getAddressBucket } from './address-rate-limiter.js';
import { LoadMonitor } from './load-monitor.js';
import { PipelineGuard } from '../pipeline-guard.js';

/**
 * Sheds load and applies the rate limit per IP address before any expensive work such as a signature check. Callers whose
 * credentials are cached, or being verified already, do not count towards their address.
 */
@Injectable()
export class AdmitGuard extends PipelineGuard {
  constructor(
    private readonly load: LoadMonitor,
    private readonly callers: CallerCache,
    private readonly addresses: AddressRateLimiter,
  ) {
    super();
  }

  check(request: Request, response: Response): true {
    const caller = this.callers.get(request);
    this.load.admit(response, caller?.client?.ownerId ?? getAddressBucket(request));
    const isExempt = caller ? caller !== ANONYMOUS_CALLER : this.callers.isVerificationInProgress(request);
    if (!isExempt) this.addresses.consume(request, response);
    getRequestContext(request).caller = caller;
    return true;
  }
}
