import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { serviceUnavailable } from '@app/common';
import { SecondLimits } from '@app/shared-state';
import type { Request, Response } from 'express';
import { apiKeyOf } from '../authenticate/presented-credentials.js';
import { CredentialStore } from '../credentials/credential-store.js';
import { GatewayConfig } from '../gateway.config.js';
import { setRateLimitHeaders, tooMany } from '../limit/rate-limit-headers.js';
import { addressBucket } from './client-address.js';
import { LoadMonitor } from './load-monitor.js';

/**
 * May this request cost us anything at all? Before any signature check or question to a node: no more than the process
 * can bear, and no more than an address may ask for while we do not know who is asking.
 */
@Injectable()
export class AdmitGuard implements CanActivate {
  private readonly addresses = new SecondLimits();

  constructor(
    private readonly config: GatewayConfig,
    private readonly load: LoadMonitor,
    private readonly credentials: CredentialStore,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    if (!this.load.accept(response)) {
      throw serviceUnavailable('overloaded', 'The service is overloaded. Try again in a moment.', {
        retryAfter: 1,
      });
    }
    const request = http.getRequest<Request>();
    if (!this.credentials.isAuthenticated(apiKeyOf(request))) this.charge(request, response);
    return true;
  }

  private charge(request: Request, response: Response): void {
    const bucket = addressBucket(request.ip ?? 'unknown');
    const window = this.addresses.take(bucket, this.config.ADDRESS_REQUESTS_PER_SECOND);
    setRateLimitHeaders(response, { address: window });
    if (!window.admitted) throw tooMany('address_limit', window);
  }
}
