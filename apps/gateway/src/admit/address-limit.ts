import { Injectable } from '@nestjs/common';
import { addressBucket } from '@app/service';
import { SecondLimits } from '@app/shared-state';
import type { Request, Response } from 'express';
import { GatewayConfig } from '../gateway.config.js';
import { setRateLimitHeaders, tooMany } from '../limit/rate-limit-headers.js';

/** What an address may ask for while we do not know who is asking (contract.md section 3). */
@Injectable()
export class AddressLimit {
  private readonly addresses = new SecondLimits();

  constructor(private readonly config: GatewayConfig) {}

  /** Counts a request on its address. @throws AppError 429 */
  charge(request: Request, response: Response): void {
    const bucket = addressBucket(request.ip ?? 'unknown');
    const window = this.addresses.take(bucket, this.config.ADDRESS_REQUESTS_PER_SECOND);
    setRateLimitHeaders(response, { address: window });
    if (!window.admitted) throw tooMany('address_limit', window);
  }
}
