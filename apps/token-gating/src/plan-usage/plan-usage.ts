import { planUsageAnswer, type PlanUsageOutcome } from '@app/dto';
import { InternalClient, ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { gathering } from '../gathering.js';
import { PlanUsageConfig } from './plan-usage.config.js';

/** Has requests counted where those of HTTP are: at the gateway, which keeps the counters. Many travel as one. */
@Injectable()
export class PlanUsage implements OnApplicationShutdown {
  private readonly gateway: InternalClient;
  private readonly counter = gathering((clientIds: readonly string[]) => this.countAll(clientIds));

  constructor(
    { INTERNAL_SIGNING_KEY, GATEWAY_URL }: PlanUsageConfig,
    private readonly context: ServiceContext,
  ) {
    this.gateway = new InternalClient({
      signingKey: INTERNAL_SIGNING_KEY,
      app: 'gateway',
      origin: GATEWAY_URL,
    });
  }

  /** Counts one request on the plan that the client application is on. Undefined when the gateway can not be asked. */
  count(clientId: string): Promise<PlanUsageOutcome | undefined> {
    return this.counter.load(clientId);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.gateway.close();
  }

  private async countAll(clientIds: readonly string[]): Promise<(PlanUsageOutcome | undefined)[]> {
    try {
      const { outcomes } = await this.gateway.post('/internal/plan-usage', { clientIds }, planUsageAnswer);
      return clientIds.map((_, index) => outcomes[index]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.context.logger.warn({ reason, requests: clientIds.length }, 'the gateway does not count');
      return clientIds.map(() => undefined);
    }
  }
}
