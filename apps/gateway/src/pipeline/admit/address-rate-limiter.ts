import { Injectable } from '@nestjs/common';
import { toAddressBucket } from '@app/service';
import { PerSecondLimiter } from '@app/rate-limits';
import type { Request, Response } from 'express';
import { GatewayConfig } from '../../gateway.config.js';
import { setRateLimitHeaders, rateLimitExceeded } from '../limit/rate-limit-headers.js';

/** What an address may ask for while we do not know who is asking (contract.md section 3). */
@Injectable()
export class AddressRateLimiter {
  private readonly windows = new PerSecondLimiter();

  constructor(private readonly config: GatewayConfig) {}

  /** Counts a request on its address. @throws AppError 429 */
  consume(request: Request, response: Response): void {
    const bucket = toAddressBucket(request.ip ?? 'unknown');
    const window = this.windows.take(bucket, this.config.ADDRESS_REQUESTS_PER_SECOND);
    setRateLimitHeaders(response, { address: window });
    if (!window.admitted) throw rateLimitExceeded('address_limit_exceeded', window);
  }
}
