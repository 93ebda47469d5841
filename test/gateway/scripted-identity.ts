import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MetricsService, ReadinessService, type ServiceContext } from '@app/service';
import { pino } from 'pino';
import { IdentityClient } from '../../apps/gateway/src/credentials/identity-client.js';
import { type GatewayConfig, gatewayConfigSchema } from '../../apps/gateway/src/gateway.config.js';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { toIdentityResponse } from '../support/internal-responses.js';

/** Responses by path; the handler gets the request body. */
export type Answers = Record<string, (body: string) => object | Promise<object>>;

/** A fake identity with scripted responses, and the client and context to test parts of a gateway with. */
export class ScriptedIdentity {
  /** Paths in the order of the requests. */
  readonly requestedPaths: string[] = [];
  rejectedRequests = 0;
  isDown = false;
  readonly config: GatewayConfig;
  readonly client: IdentityClient;
  readonly context: ServiceContext = {
    name: 'gateway',
    config: {} as ServiceContext['config'],
    logger: pino({ enabled: false }),
    metrics: new MetricsService('gateway'),
    readiness: new ReadinessService(),
  };

  private constructor(
    private readonly server: Server,
    publicUrl: string,
  ) {
    this.config = createConfig(
      `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
      publicUrl,
    );
    this.client = new IdentityClient(this.config);
  }

  static async start(answers: Answers, publicUrl = 'http://127.0.0.1:1'): Promise<ScriptedIdentity> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const identity = new ScriptedIdentity(server, publicUrl);
    server.on('request', (request, response) => {
      let requestBody = '';
      request.setEncoding('utf8').on('data', (text: string) => (requestBody += text));
      request.on('end', () => {
        const [path = ''] = (request.url ?? '').split('?');
        identity.requestedPaths.push(path);
        if (identity.isDown) identity.rejectedRequests += 1;
        const answer = identity.isDown ? undefined : answers[path];
        Promise.resolve(answer?.(requestBody))
          .then((body) => body && toIdentityResponse(path, body))
          .then((text) => response.writeHead(text ? 200 : 503).end(text ?? '{}'))
          .catch((error: unknown) => response.writeHead(500).end(String(error)));
      });
    });
    return identity;
  }

  count(path: string): number {
    return this.requestedPaths.filter((one) => one === path).length;
  }

  async stop(): Promise<void> {
    await this.client.onApplicationShutdown();
    this.server.closeAllConnections();
    this.server.close();
  }
}

function createConfig(IDENTITY_URL: string, PUBLIC_URL: string): GatewayConfig {
  return gatewayConfigSchema.parse({
    INTERNAL_SIGNING_KEY: JSON.stringify(makeSecrets(['gateway']).signing['gateway']),
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    PUBLIC_URL,
    IDENTITY_URL,
    TOKEN_GATING_URL: IDENTITY_URL,
    ACCOUNT_KIT_URL: IDENTITY_URL,
    ANALYTICS_URL: IDENTITY_URL,
    CREDENTIAL_FEED_INTERVAL_MS: '50',
  });
}
