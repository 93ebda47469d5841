import { AppError, badGateway, gatewayTimeout, serviceUnavailable } from '@app/common';
import { BrokenCircuitError } from 'cockatiel';

/** The upstream did not answer: it counts against its circuit breaker. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']);

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** What the caller is told of an upstream that failed: never its message. */
export function toGatewayError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof BrokenCircuitError) {
    return serviceUnavailable('upstream_unavailable', 'This part of the service is down. Try again soon.', {
      retryAfter: 2,
    });
  }
  if (!(error instanceof UpstreamFailure)) return error;
  return TIMEOUTS.has(String(codeOf(error.cause)))
    ? gatewayTimeout(
        'upstream_timeout',
        'This part of the service did not answer in time.',
        {},
        { cause: error },
      )
    : badGateway('upstream_failed', 'This part of the service could not be reached.', {}, { cause: error });
}
