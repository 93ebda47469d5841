import { PerSecondLimiter } from '@app/rate-limits';
import { Injectable } from '@nestjs/common';
import { type Client, errors } from 'oidc-provider';
import { z } from 'zod';

/** Under this name a client's metadata has whose plan it is on, and what that allows. */
export const PLAN_METADATA = 'gatehouse:plan';

export interface ClientPlan {
  readonly ownerId: string;
  readonly perSecond: number;
}

const clientPlan: z.ZodType<ClientPlan> = z.object({ ownerId: z.string(), perSecond: z.int() });

/** There is no word for it in RFC 6749: this one comes closest, and programs look at the status. */
class TooManyRequestsError extends errors.OIDCProviderError {
  constructor(limit: number) {
    super(429, 'temporarily_unavailable');
    this.error_description = `The limit of ${limit} requests per second is used up.`;
  }
}

/**
 * What client applications that proved themselves ask for here in a second, counted on their plan holder as other requests are
 * at the gateway, which does not know them yet. Each instance counts for itself.
 */
@Injectable()
export class ClientRateLimiter {
  private readonly seconds = new PerSecondLimiter();

  /** @throws errors.OIDCProviderError 429 */
  checkRate(client: Client): void {
    const { ownerId, perSecond } = clientPlan.parse(client[PLAN_METADATA]);
    if (!this.seconds.take(ownerId, perSecond).admitted) throw new TooManyRequestsError(perSecond);
  }
}
