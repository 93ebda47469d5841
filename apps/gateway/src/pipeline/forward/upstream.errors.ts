import { AppError, badGateway, gatewayTimeout, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

/** The upstream did not respond; counts as a failure for its circuit breaker. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

const TIMEOUT_CODES = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']);

const getErrorCode = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** No connection was made, as while no pod of an app is ready: the request may be sent again. */
const CONNECT_CODES = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);

/** The connection ended without a response. The request may have been handled. */
const CONNECTION_LOSS_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

export const isConnectionLoss = (error: unknown): boolean =>
  error instanceof UpstreamError && CONNECTION_LOSS_CODES.has(String(getErrorCode(error.cause)));

/** Nothing was sent: the circuit breaker is open, or no instance takes connections. */
export const upstreamUnavailable = (cause?: Error): AppError =>
  serviceUnavailable(
    'upstream_unavailable',
    'This part of the service is unavailable. Try again soon.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

/** The error for the client: 504 for a timeout, 503 where nothing was sent, else 502. Hides the message of the upstream error. */
export function toGatewayError(error: unknown): unknown {
  if (!(error instanceof UpstreamError)) return error;
  const code = String(getErrorCode(error.cause));
  if (CONNECT_CODES.has(code)) return upstreamUnavailable(error);
  const details = { retryAfter: RETRY_AFTER_SECONDS.progress };
  return TIMEOUT_CODES.has(code)
    ? gatewayTimeout('upstream_timeout', 'This part of the service did not respond in time.', details, {
        cause: error,
      })
    : badGateway(
        'upstream_response_invalid',
        'This part of the service did not answer as it should.',
        details,
        {
          cause: error,
        },
      );
}
