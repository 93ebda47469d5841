import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { planUsageRequest, planUsageResponse } from '@app/dto';
import { pino } from 'pino';
import { makeSecrets } from '../../../../scripts/suite/secrets.mjs';
import { PlanUsageClient, planUsageClientConfigSchema } from './plan-usage-client.js';

const secrets = makeSecrets(['token-gating']);
const INTERNAL_SIGNING_KEY = JSON.stringify(secrets.signing['token-gating']);

/** Counts like the gateway, and rejects every batch that contains the id `odd`. */
class CountingServer {
  readonly counted: string[] = [];
  rejectionStatus = 400;
  private readonly server: Server = createServer((request, response) => {
    void json(request).then((body) => {
      const { clientIds } = planUsageRequest.parse(body);
      if (clientIds.includes('odd')) {
        response.writeHead(this.rejectionStatus).end('{}');
        return;
      }
      this.counted.push(...clientIds);
      response.end(JSON.stringify(planUsageResponse.parse({ outcomes: clientIds.map(() => 'counted') })));
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('PlanUsageClient', () => {
  const ends: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  async function start() {
    const gateway = new CountingServer();
    const GATEWAY_URL = await gateway.listen();
    const config = planUsageClientConfigSchema.parse({ INTERNAL_SIGNING_KEY, GATEWAY_URL });
    const usage = new PlanUsageClient(config, { logger: pino({ enabled: false }) });
    ends.push(
      () => usage.onApplicationShutdown(),
      () => {
        gateway.close();
      },
    );
    return { gateway, usage };
  }

  it('PlanUsageClient: finds the invalid id in a rejected batch and counts the others once', async () => {
    const { gateway, usage } = await start();
    const clientIds = Array.from({ length: 33 }, (_, index) => (index === 20 ? 'odd' : `client_${index}`));
    const outcomes = await Promise.all(clientIds.map((clientId) => usage.countRequest(clientId)));
    expect(outcomes).toEqual(clientIds.map((id) => (id === 'odd' ? 'unknown_client' : 'counted')));
    expect(gateway.counted).toEqual(clientIds.filter((id) => id !== 'odd'));
  });

  it('PlanUsageClient: returns undefined for all when the batch is rejected with another status', async () => {
    const { gateway, usage } = await start();
    gateway.rejectionStatus = 404;
    expect(await Promise.all([usage.countRequest('client_1'), usage.countRequest('odd')])).toEqual([
      undefined,
      undefined,
    ]);
    expect(gateway.counted).toEqual([]);
  });
});
