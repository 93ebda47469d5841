import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Upstream, UPSTREAMS } from '@app/contract';
import { circuitBreaker, type CircuitBreakerPolicy, ConsecutiveBreaker, handleType } from 'cockatiel';
import { Pool } from 'undici';
import { GatewayConfig } from '../gateway.config.js';
import { UpstreamFailure } from './upstream-failure.js';

const CONNECT_TIMEOUT_MS = 1_000;
const CONNECTIONS = 256;
const FAILURES_TO_OPEN = 5;
const PROBE_AFTER_MS = 2_000;

export interface UpstreamLine {
  pool: Pool;
  breaker: CircuitBreakerPolicy;
}

/** Kept-alive connections to each app, with a circuit breaker that spares a dead one our waiting. */
@Injectable()
export class Upstreams implements OnModuleDestroy {
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
      breaker: circuitBreaker(handleType(UpstreamFailure), {
        halfOpenAfter: PROBE_AFTER_MS,
        breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
      }),
    });
    this.lines = Object.fromEntries(UPSTREAMS.map((name) => [name, line(origins[name])])) as Record<
      Upstream,
      UpstreamLine
    >;
  }

  line(upstream: Upstream): UpstreamLine {
    return this.lines[upstream];
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(Object.values(this.lines).map(({ pool }) => pool.close()));
  }
}
