import { principalIssuerConfigSchema } from '@app/auth';
import { createBatcher } from '@app/common';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';
import { type PlanReport, planReport, type PlanUsageOutcome, planUsageResponse } from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Settings of the client for the gateway's internal API. */
const gatewayClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ GATEWAY_URL: true }).shape,
);

export class GatewayClientConfig extends createConfigClass(gatewayClientConfigSchema) {}

/** Client of the gateway's internal API. Rejects on a timeout and on an invalid response. */
@Injectable()
export class GatewayClient implements OnApplicationShutdown {
  private readonly client: InternalClient;
  private readonly counter = createBatcher((clientIds: readonly string[]) => this.countAll(clientIds));

  constructor({ INTERNAL_SIGNING_KEY, GATEWAY_URL }: GatewayClientConfig) {
    this.client = new InternalClient({
      signingKey: INTERNAL_SIGNING_KEY,
      app: 'gateway',
      origin: GATEWAY_URL,
      connections: 2,
    });
  }

  loadPlanReport(tenantId: string): Promise<PlanReport> {
    return this.client.post('/internal/plan-reports', { ownerId: tenantId }, planReport);
  }

  /** Counts one request towards the month of the client application's tenant. Concurrent requests are batched. */
  countRequest(clientId: string): Promise<PlanUsageOutcome | undefined> {
    return this.counter.load(clientId);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }

  private async countAll(clientIds: readonly string[]): Promise<(PlanUsageOutcome | undefined)[]> {
    const { outcomes } = await this.client.post('/internal/plan-usage', { clientIds }, planUsageResponse);
    return clientIds.map((_, index) => outcomes[index]);
  }
}
