import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type RateLimitResult, RefusalStore, RateLimiter } from '@app/limits';
import type { ClientPlan } from '@app/dto';
import type { Request, Response } from 'express';
import { getRequestContext } from '../../request-context.js';
import { setRateLimitHeaders, rateLimitExceeded } from './rate-limit-response.js';

/** Counts a request towards its tenant, over all client applications and keys of the tenant (contract.md section 3). */
@Injectable()
export class LimitGuard implements CanActivate {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly refusals: RefusalStore,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const client = getRequestContext(http.getRequest<Request>()).caller?.client;
    if (!client) return true;
    const response = http.getResponse<Response>();
    const windows = this.rateLimiter.take(client.ownerId, client.limits);
    return windows instanceof Promise
      ? windows.then((states) => this.decide(client, states, response))
      : this.decide(client, windows, response);
  }

  private decide(
    { ownerId: tenantId, clientId }: ClientPlan,
    { second, month }: RateLimitResult,
    response: Response,
  ): boolean {
    setRateLimitHeaders(response, { second, month });
    if (second.admitted && month.admitted) return true;
    const code = second.admitted ? 'month_limit_exceeded' : 'second_limit_exceeded';
    this.refusals.record(tenantId, clientId, code);
    throw rateLimitExceeded(code, second.admitted ? month : second);
  }
}
