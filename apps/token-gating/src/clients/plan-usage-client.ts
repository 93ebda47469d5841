import { principalIssuerConfigSchema } from '@app/auth';
import { createBatcher, formatErrorReason } from '@app/common';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';
import {
  type PlanUsageOutcome,
  planUsageResponse,
  type UserUsageOutcome,
  type UserUsageRequest,
  userUsageResponse,
} from '@app/dto';
import { InternalClient, ServiceContext, UnexpectedStatusError } from '@app/service';
import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';

/** Settings for requests to the gateway, signed with this app's key. */
export const planUsageClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ GATEWAY_URL: true }).shape,
);

class PlanUsageClientConfig extends createConfigClass(planUsageClientConfigSchema) {}

type CountedRequest = UserUsageRequest['requests'][number];

/** Counts queued requests, and what users do in the portal, at the gateway, which keeps the monthly quotas. Requests are batched. */
@Injectable()
export class PlanUsageClient implements OnApplicationShutdown {
  private readonly gateway: InternalClient;
  private readonly counter = createBatcher((clientIds: readonly string[]) => this.countAll(clientIds));

  private readonly userCounter = createBatcher((requests: readonly CountedRequest[]) =>
    this.countUsers(requests),
  );

  constructor(
    { INTERNAL_SIGNING_KEY, GATEWAY_URL }: PlanUsageClientConfig,
    @Inject(ServiceContext) private readonly context: Pick<ServiceContext, 'logger'>,
  ) {
    this.gateway = new InternalClient({
      signingKey: INTERNAL_SIGNING_KEY,
      app: 'gateway',
      origin: GATEWAY_URL,
    });
  }

  /** Counts one request on the plan of the client application. Undefined when the gateway is unavailable. */
  countRequest(clientId: string): Promise<PlanUsageOutcome | undefined> {
    return this.counter.load(clientId);
  }

  /** Counts what a user does in the portal on the user's tenant. Undefined when the gateway is unavailable. */
  countUserRequest(request: CountedRequest): Promise<UserUsageOutcome | undefined> {
    return this.userCounter.load(request);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.gateway.close();
  }

  private async countAll(clientIds: readonly string[]): Promise<(PlanUsageOutcome | undefined)[]> {
    try {
      const { outcomes } = await this.gateway.post('/internal/plan-usage', { clientIds }, planUsageResponse);
      return clientIds.map((_, index) => outcomes[index]);
    } catch (error) {
      if (error instanceof UnexpectedStatusError && error.status === 400)
        return this.countInHalves(clientIds);
      const reason = formatErrorReason(error);
      this.context.logger.warn(
        { reason, requests: clientIds.length },
        'requests not counted: the gateway is unavailable',
      );
      return clientIds.map(() => undefined);
    }
  }

  /** Only token-gating names the users, who are signed in: no id of a batch is invalid. */
  private async countUsers(requests: readonly CountedRequest[]): Promise<(UserUsageOutcome | undefined)[]> {
    try {
      const { outcomes } = await this.gateway.post('/internal/user-usage', { requests }, userUsageResponse);
      return requests.map((_, index) => outcomes[index]);
    } catch (error) {
      const reason = formatErrorReason(error);
      this.context.logger.warn(
        { reason, requests: requests.length },
        'requests of the portal not counted: the gateway is unavailable',
      );
      return requests.map(() => undefined);
    }
  }

  /** A rejected batch counted nothing. Halves it until the invalid client id is alone. */
  private async countInHalves(clientIds: readonly string[]): Promise<(PlanUsageOutcome | undefined)[]> {
    if (clientIds.length === 1) return ['unknown_client'];
    const middle = Math.ceil(clientIds.length / 2);
    const first = await this.countAll(clientIds.slice(0, middle));
    return [...first, ...(await this.countAll(clientIds.slice(middle)))];
  }
}

@Module({ providers: [PlanUsageClientConfig, PlanUsageClient], exports: [PlanUsageClient] })
export class PlanUsageClientModule {}
