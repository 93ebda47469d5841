import { envCidrs, SafeHttpClient, SafeHttpError } from '@app/http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleType } from 'cockatiel';
import { createMetadataFailure, type MetadataFailure, toMetadataFailure } from './metadata-failure.js';

/** Calls only origins that the operator configures, which may be in a private network. Follows no redirects. */
@Injectable()
export class GatewayHttpClient extends SafeHttpClient implements OnApplicationShutdown {
  constructor() {
    super({ allowedCidrs: envCidrs.parse('0.0.0.0/0,::/0') });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}

const BREAKER_FAULTS = 5;
const BREAKER_OPEN_MS = 30_000;

/** A fault of the gateway itself, which no publisher of content can cause. */
export class GatewayFaultError extends Error {
  override readonly name = 'GatewayFaultError';
}

/** Failures of the transport before an answer. A timeout and an answer that is cut off may depend on the content. */
const TRANSPORT_FAULTS = new Set(['dns', 'tls', 'connection', 'blocked']);

/** Either the document, or why this gateway has none; `isFinal` when no other gateway can answer otherwise. */
export type GatewayAnswer = Buffer | { readonly failure: MetadataFailure; readonly isFinal: boolean };

/** A gateway of the operator and its circuit breaker. */
export class Gateway {
  private readonly breaker = circuitBreaker(handleType(GatewayFaultError), {
    halfOpenAfter: BREAKER_OPEN_MS,
    breaker: new ConsecutiveBreaker(BREAKER_FAULTS),
  });

  constructor(readonly origin: string) {}

  /** @param request throws SafeHttpError, or GatewayFaultError when the answer is provably wrong */
  async ask(request: () => Promise<GatewayAnswer>): Promise<GatewayAnswer> {
    try {
      return await this.breaker.execute(() => request().catch(toGatewayFault));
    } catch (error) {
      if (error instanceof BrokenCircuitError || error instanceof GatewayFaultError)
        return { failure: UNAVAILABLE, isFinal: false };
      if (error instanceof SafeHttpError) return { failure: toMetadataFailure(error), isFinal: false };
      throw error;
    }
  }
}

function toGatewayFault(error: unknown): never {
  if (error instanceof SafeHttpError && TRANSPORT_FAULTS.has(error.kind))
    throw new GatewayFaultError('the gateway could not be reached', { cause: error });
  throw error;
}

const UNAVAILABLE = createMetadataFailure('metadata_unavailable', 'could not be fetched from a gateway');

/**
 * Asks gateways in order until one has the document. Each gets an equal part of the time that is left.
 * @returns the failure of the last one, or one that a retry may resolve
 */
export async function askGateways<G extends Gateway>(
  gateways: readonly G[],
  deadline: number,
  request: (gateway: G, deadline: number) => Promise<GatewayAnswer>,
): Promise<Buffer | MetadataFailure> {
  let failure = createMetadataFailure('metadata_refused', 'needs a gateway, and none is configured');
  for (const [index, gateway] of gateways.entries()) {
    const now = performance.now();
    const ownDeadline = now + Math.max(1, (deadline - now) / (gateways.length - index));
    const answer = await gateway.ask(() => request(gateway, ownDeadline));
    if (Buffer.isBuffer(answer) || answer.isFinal) return Buffer.isBuffer(answer) ? answer : answer.failure;
    if (index === 0 || failure.permanent) failure = answer.failure;
  }
  return failure;
}
