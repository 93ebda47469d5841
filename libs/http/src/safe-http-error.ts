/**
 * - `blocked`: the URL or an address of its host may not be called; nothing was sent
 * - `dns`: the host has no address, or the lookup failed
 * - `timeout`: no connection or no complete response in time
 * - `tls`: the server's certificate or its TLS handshake is invalid
 * - `connection`: refused, unreachable or lost
 * - `interrupted`: the connection was lost in the middle of the body
 * - `too_large`: the response exceeds the limit
 * - `bad_answer`: the response is not HTTP, or not in the requested format
 */
export type SafeHttpErrorKind =
  | 'blocked'
  | 'dns'
  | 'timeout'
  | 'tls'
  | 'connection'
  | 'interrupted'
  | 'too_large'
  | 'bad_answer';

/** Why a call failed. The message may be shown to the tenant that configured the URL: it contains no internal address. */
export class SafeHttpError extends Error {
  override readonly name = 'SafeHttpError';

  constructor(
    readonly kind: SafeHttpErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
