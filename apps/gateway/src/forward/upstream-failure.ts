import { AppError, badGateway, gatewayTimeout, serviceUnavailable } from '@app/common';

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

/** Nothing was sent: the upstream is known to be down. */
export const upstreamDown = (): AppError =>
  serviceUnavailable('upstream_unavailable', 'This part of the service is down. Try again soon.', {
    retryAfter: 2,
  });

/** What the caller is told of an upstream that failed: never its message. */
export function toGatewayError(error: unknown): unknown {
  if (!(error instanceof UpstreamFailure)) return error;
  const details = { retryAfter: 2 };
  return TIMEOUTS.has(String(codeOf(error.cause)))
    ? gatewayTimeout('upstream_timeout', 'This part of the service did not answer in time.', details, {
        cause: error,
      })
    : badGateway('upstream_failed', 'This part of the service could not be reached.', details, {
        cause: error,
      });
}
