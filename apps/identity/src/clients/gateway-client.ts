import { type PlanReport, planReport } from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { GatewayClientConfig } from './gateway-client.config.js';

/** Identity's question to a gateway. Rejects when it is not answered in time and in form. */
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
