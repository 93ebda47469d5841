import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Upstream, UPSTREAMS } from '@app/contract';
import { Pool } from 'undici';
import { GatewayConfig } from '../gateway.config.js';
import { CircuitBreaker } from './circuit-breaker.js';

const CONNECT_TIMEOUT_MS = 1_000;
const CONNECTIONS = 256;
const BREAKER = { failuresToOpen: 5, probeAfterMs: 2_000 };

export interface UpstreamLine {
  pool: Pool;
  breaker: CircuitBreaker;
}

/** Kept-alive connections to each app, with a circuit breaker that spares callers the wait for a dead one. */
@Injectable()
export class Upstreams implements OnApplicationShutdown {
  private readonly lines: Record<Upstream, UpstreamLine>;

  constructor(config: GatewayConfig) {
    const origins: Record<Upstream, string> = {
      'token-gating': config.TOKEN_GATING_URL,
      identity: config.IDENTITY_URL,
      'account-kit': config.ACCOUNT_KIT_URL,
      analytics: config.ANALYTICS_URL,
    };
    const line = (origin: string): UpstreamLine => ({
      pool: new Pool(origin, {
        connections: CONNECTIONS,
        connect: { timeout: CONNECT_TIMEOUT_MS },
        headersTimeout: config.UPSTREAM_TIMEOUT_MS,
        bodyTimeout: config.UPSTREAM_TIMEOUT_MS,
      }),
      breaker: new CircuitBreaker(BREAKER),
    });
    this.lines = Object.fromEntries(UPSTREAMS.map((name) => [name, line(origins[name])])) as Record<
      Upstream,
      UpstreamLine
    >;
  }

  line(upstream: Upstream): UpstreamLine {
    return this.lines[upstream];
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(Object.values(this.lines).map(({ pool }) => pool.close()));
  }
}
