import { createBatcher } from '@app/common';
import { planUsageResponse, type PlanUsageOutcome } from '@app/dto';
import { UnexpectedStatusError, InternalClient, ServiceContext } from '@app/service';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PlanUsageClientConfig } from './plan-usage-client.config.js';

/** Has requests counted where those of HTTP are: at the gateway, which keeps the counters. Many travel as one. */
@Injectable()
export class PlanUsageClient implements OnApplicationShutdown {
  private readonly gateway: InternalClient;
  private readonly counter = createBatcher((clientIds: readonly string[]) => this.countAll(clientIds));

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

  /** Counts one request on the plan that the client application is on. Undefined when the gateway can not be asked. */
  countRequest(clientId: string): Promise<PlanUsageOutcome | undefined> {
    return this.counter.load(clientId);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.gateway.close();
  }

  private async countAll(clientIds: readonly string[]): Promise<(PlanUsageOutcome | undefined)[]> {
    try {
      const { outcomes } = await this.gateway.post('/internal/plan-usage', { clientIds }, planUsageResponse);
      return clientIds.map((_, index) => outcomes[index]);
    } catch (error) {
      if (error instanceof UnexpectedStatusError && error.status === 400) return this.countApart(clientIds);
      const reason = error instanceof Error ? error.message : 'unknown';
      this.context.logger.warn({ reason, requests: clientIds.length }, 'the gateway does not count');
      return clientIds.map(() => undefined);
    }
  }

  /** Nothing of what is refused was counted. Halves, until the odd one is alone: what is no id is nobody's. */
  private async countApart(clientIds: readonly string[]): Promise<(PlanUsageOutcome | undefined)[]> {
    if (clientIds.length === 1) return ['unknown_client'];
    const middle = Math.ceil(clientIds.length / 2);
    const first = await this.countAll(clientIds.slice(0, middle));
    return [...first, ...(await this.countAll(clientIds.slice(middle)))];
  }
}
