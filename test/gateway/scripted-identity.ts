import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MetricsService, ReadinessService, type ServiceContext } from '@app/service';
import { pino } from 'pino';
import { IdentityClient } from '../../apps/gateway/src/credentials/identity-client.js';
import { type GatewayConfig, gatewayConfigSchema } from '../../apps/gateway/src/gateway.config.js';
import { makeSecrets } from '../../scripts/local/secrets.mjs';

/** What the question to a path is answered, with its body where it has one. */
export type Answers = Record<string, (question: string) => object | Promise<object>>;

/** An identity that answers what a test says, and what parts of a gateway ask it with. */
export class ScriptedIdentity {
  /** Paths, in order. */
  readonly asked: string[] = [];
  /** How many were turned away. */
  turnedAway = 0;
  isGone = false;
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
    this.config = configOf(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, publicUrl);
    this.client = new IdentityClient(this.config);
  }

  static async start(answers: Answers, publicUrl = 'http://127.0.0.1:1'): Promise<ScriptedIdentity> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const identity = new ScriptedIdentity(server, publicUrl);
    server.on('request', (request, response) => {
      let question = '';
      request.setEncoding('utf8').on('data', (text: string) => (question += text));
      request.on('end', () => {
        const [path = ''] = (request.url ?? '').split('?');
        identity.asked.push(path);
        if (identity.isGone) identity.turnedAway += 1;
        const answer = identity.isGone ? undefined : answers[path];
        void Promise.resolve(answer?.(question)).then((body) => {
          response.writeHead(body ? 200 : 503).end(JSON.stringify(body ?? {}));
        });
      });
    });
    return identity;
  }

  count(path: string): number {
    return this.asked.filter((one) => one === path).length;
  }

  async stop(): Promise<void> {
    await this.client.onApplicationShutdown();
    this.server.closeAllConnections();
    this.server.close();
  }
}

function configOf(IDENTITY_URL: string, PUBLIC_URL: string): GatewayConfig {
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
