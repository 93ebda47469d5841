import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RenewingPool } from '@app/http';
import { type Upstream, UPSTREAMS, type Operation } from '@app/openapi';
import { GatewayConfig } from '../../gateway.config.js';
import { CircuitBreaker } from './circuit-breaker.js';

const CONNECT_TIMEOUT_MS = 1_000;
/**
 * Shorter than the time that a service still responds after SIGTERM (`SHUTDOWN_DELAY_MS`): a service never closes an idle
 * connection on which a request is just being sent.
 */
const IDLE_CONNECTION_MS = 2_000;
const CIRCUIT_BREAKER_OPTIONS = { failureThreshold: 5, resetTimeoutMs: 2_000 };

interface UpstreamConnection {
  pool: RenewingPool;
  breaker: CircuitBreaker;
}

/** A keep-alive connection pool and a circuit breaker per upstream. */
@Injectable()
export class UpstreamRegistry implements OnApplicationShutdown {
  private readonly connections: Record<Upstream, UpstreamConnection>;

  constructor(config: GatewayConfig) {
    const origins: Record<Upstream, string> = {
      'token-gating': config.TOKEN_GATING_URL,
      identity: config.IDENTITY_URL,
      'account-kit': config.ACCOUNT_KIT_URL,
      analytics: config.ANALYTICS_URL,
    };
    const connect = (origin: string): UpstreamConnection => ({
      pool: new RenewingPool(origin, {
        // Requests would wait for each other in a smaller pool, which has no shares: LoadMonitor limits them.
        connections: config.MAX_REQUESTS_UNDER_WAY,
        connect: { timeout: CONNECT_TIMEOUT_MS },
        keepAliveTimeout: IDLE_CONNECTION_MS,
        keepAliveMaxTimeout: IDLE_CONNECTION_MS,
        headersTimeout: config.UPSTREAM_TIMEOUT_MS,
        bodyTimeout: config.UPSTREAM_TIMEOUT_MS,
      }),
      breaker: new CircuitBreaker(CIRCUIT_BREAKER_OPTIONS),
    });
    this.connections = Object.fromEntries(UPSTREAMS.map((name) => [name, connect(origins[name])])) as Record<
      Upstream,
      UpstreamConnection
    >;
  }

  get(upstream: Upstream): UpstreamConnection {
    return this.connections[upstream];
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(Object.values(this.connections).map(({ pool }) => pool.close()));
  }
}

/** The target of a request: an operation of the OpenAPI document, or the pages. */
export type Destination = Pick<
  Operation,
  'id' | 'upstream' | 'forwardedHeaders' | 'callerRequirement' | 'maxWaitMs'
>;

/** Whether a browser sends its session there, so that scripts of other origins must not read the response. */
export const isBrowserDestination = ({ forwardedHeaders }: Destination): boolean =>
  forwardedHeaders.includes('cookie');
