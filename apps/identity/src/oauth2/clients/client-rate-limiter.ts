import { formatErrorReason } from '@app/common';
import type { PlanUsageOutcome } from '@app/dto';
import { RateLimit, toCalendarMonth } from '@app/limits';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { type Client, errors, Provider } from 'oidc-provider';
import { z } from 'zod';
import { GatewayClient } from '../../clients/gateway-client.js';

/** The metadata key of a client's `ClientPlan`. */
export const PLAN_METADATA = 'gatehouse:plan';

export interface ClientPlan {
  readonly tenantId: string;
  readonly perSecond: number;
}

const clientPlan: z.ZodType<ClientPlan> = z.object({ tenantId: z.string(), perSecond: z.int() });

export const getClientPlan = (client: Client): ClientPlan => clientPlan.parse(client[PLAN_METADATA]);

/** RFC 6749 has no error code for rate limits; `temporarily_unavailable` comes closest. */
class TooManyRequestsError extends errors.OIDCProviderError {
  constructor(override error_description: string) {
    super(429, 'temporarily_unavailable');
  }
}

/**
 * Rate limits per tenant at the OAuth endpoints, which the gateway forwards without authenticating the client. The second is
 * counted by each instance, the month at the gateway.
 */
@Injectable()
export class ClientRateLimiter {
  private readonly limiter = new RateLimit();

  constructor(
    private readonly gateway: GatewayClient,
    private readonly context: ServiceContext,
  ) {}

  /**
   * Counts a request. Call it only once the client has authenticated, or has presented a valid code or token: otherwise
   * anyone could use up the limits of a tenant.
   * @throws errors.OIDCProviderError 429
   */
  async countRequest(client: Client): Promise<void> {
    const { tenantId, perSecond } = getClientPlan(client);
    if (!this.limiter.take(tenantId, perSecond).admitted)
      throw new TooManyRequestsError(`The rate limit of ${perSecond} requests per second is exceeded.`);
    if ((await this.countInMonth(client.clientId)) !== 'month_used_up') return;
    const { endMs } = toCalendarMonth(Date.now());
    Provider.ctx?.set('Retry-After', String(Math.ceil((endMs - Date.now()) / 1_000)));
    throw new TooManyRequestsError('The limit of requests per month is used up.');
  }

  /** Counts a request of a client without a secret, which has presented a valid code or token. */
  async countPublicRequest(client: Client): Promise<void> {
    if (client.tokenEndpointAuthMethod === 'none') await this.countRequest(client);
  }

  /** Undefined while no gateway answers: users can sign in nevertheless. */
  private async countInMonth(clientId: string): Promise<PlanUsageOutcome | undefined> {
    try {
      return await this.gateway.countRequest(clientId);
    } catch (error) {
      this.context.logger.warn(
        { reason: formatErrorReason(error) },
        'OAuth request not counted: the gateway is unavailable',
      );
      return undefined;
    }
  }
}
