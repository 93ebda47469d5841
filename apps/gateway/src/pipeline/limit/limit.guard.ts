import { Injectable } from '@nestjs/common';
import { type RateLimitResult, RefusalStore, RateLimiter } from '@app/limits';
import type { ClientPlan } from '@app/dto';
import type { Request, Response } from 'express';
import { getRequestContext } from '../../request-context.js';
import { setRateLimitHeaders, rateLimitExceeded } from './rate-limit-response.js';
import { PipelineGuard } from '../pipeline-guard.js';

/** Counts a request towards its tenant, over all client applications and keys of the tenant (contract.md section 3). */
@Injectable()
export class LimitGuard extends PipelineGuard {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly refusals: RefusalStore,
  ) {
    super();
  }

  check(request: Request, response: Response): true | Promise<true> {
    const { client } = getRequestContext(request).caller ?? {};
    if (!client) return true;
    const windows = this.rateLimiter.take(client.ownerId, client.limits);
    return windows instanceof Promise
      ? windows.then((states) => this.decide(client, states, response))
      : this.decide(client, windows, response);
  }

  private decide(
    { ownerId: tenantId, clientId }: ClientPlan,
    { second, month }: RateLimitResult,
    response: Response,
  ): true {
    setRateLimitHeaders(response, { second, month });
    if (second.admitted && month.admitted) return true;
    const code = second.admitted ? 'month_limit_exceeded' : 'second_limit_exceeded';
    this.refusals.record(tenantId, clientId, code);
    throw rateLimitExceeded(code, second.admitted ? month : second);
  }
}
