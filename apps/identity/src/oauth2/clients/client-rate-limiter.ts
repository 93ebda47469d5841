import { PerSecondLimiter } from '@app/rate-limits';
import { Injectable } from '@nestjs/common';
import { type Client, errors } from 'oidc-provider';
import { z } from 'zod';

/** The metadata key of a client's `ClientPlan`. */
export const PLAN_METADATA = 'gatehouse:plan';

export interface ClientPlan {
  readonly tenantId: string;
  readonly perSecond: number;
}

const clientPlan: z.ZodType<ClientPlan> = z.object({ tenantId: z.string(), perSecond: z.int() });

/** RFC 6749 has no error code for rate limits; `temporarily_unavailable` comes closest. */
class TooManyRequestsError extends errors.OIDCProviderError {
  constructor(limit: number) {
    super(429, 'temporarily_unavailable');
    this.error_description = `The rate limit of ${limit} requests per second is exceeded.`;
  }
}

/**
 * Rate limit per tenant for authenticated clients of the OAuth endpoints, which the gateway forwards without authenticating
 * them. Each instance counts separately.
 */
@Injectable()
export class ClientRateLimiter {
  private readonly limiter = new PerSecondLimiter();

  /** @throws errors.OIDCProviderError 429 */
  checkRate(client: Client): void {
    const { tenantId, perSecond } = clientPlan.parse(client[PLAN_METADATA]);
    if (!this.limiter.take(tenantId, perSecond).admitted) throw new TooManyRequestsError(perSecond);
  }
}
