import { type PlanReport, planReport } from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { GatewayClientConfig } from './gateway-client.config.js';

/** Client of the gateway's internal API. Rejects on a timeout and on an invalid response. */
@Injectable()
export class GatewayClient implements OnApplicationShutdown {
  private readonly client: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY, GATEWAY_URL }: GatewayClientConfig) {
    this.client = new InternalClient({
      signingKey: INTERNAL_SIGNING_KEY,
      app: 'gateway',
      origin: GATEWAY_URL,
      connections: 2,
    });
  }

  loadPlanReport(ownerId: string): Promise<PlanReport> {
    return this.client.post('/internal/plan-reports', { ownerId }, planReport);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}
