import { Injectable } from '@nestjs/common';
import { toAddressBucket } from '@app/service';
import { RateLimit, type ReturnableRequest, type WindowResult } from '@app/limits';
import type { Request, Response } from 'express';
import { GatewayConfig } from '../../gateway.config.js';
import { setRateLimitHeaders, rateLimitExceeded } from '../limit/rate-limit-response.js';

/** Requests without a known tenant are counted towards it. */
export const getAddressBucket = (request: Request): string => toAddressBucket(request.ip ?? 'unknown');

export const addressLimitExceeded = (window: WindowResult) =>
  rateLimitExceeded('address_limit_exceeded', window);

/** Limits requests per IP address while the caller is not authenticated (contract.md section 3). */
@Injectable()
export class AddressRateLimiter {
  private readonly limiter = new RateLimit();

  constructor(private readonly config: GatewayConfig) {}

  /** Counts a request towards its IP address. @throws AppError 429 */
  consume(request: Request, response: Response): void {
    const window = this.limiter.take(getAddressBucket(request), this.config.ADDRESS_REQUESTS_PER_SECOND);
    setRateLimitHeaders(response, { address: window });
    if (!window.admitted) throw addressLimitExceeded(window);
  }

  /** Counts a request towards an address if there is room for it, until it is given back. */
  take(address: string): ReturnableRequest {
    return this.limiter.takeReturnable(address, this.config.ADDRESS_REQUESTS_PER_SECOND);
  }
}
