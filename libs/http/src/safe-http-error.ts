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

export const TIMEOUT_MESSAGE = 'the host did not answer in time';

const MESSAGES = {
  timeout: TIMEOUT_MESSAGE,
  tls: 'the host could not prove its identity',
  connection: 'the host could not be reached, or the connection was lost',
  too_large: 'the answer is too large',
  bad_answer: 'the answer is not valid HTTP',
} as const;

type ThrownKind = keyof typeof MESSAGES & SafeHttpErrorKind;

const TIMEOUT_CODE_PATTERN = /^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;
/** Codes of Node and OpenSSL: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const TLS_CODE_PATTERN =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_C|INVALID_(?:CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_)/;
/** Matches the name too, because undici's parser errors do not always have a code. */
const BAD_RESPONSE_PATTERN = /^(?:HTTPParserError|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;

function toErrorKind({ name, code = '' }: { name?: string; code?: string }): ThrownKind {
  if (TIMEOUT_CODE_PATTERN.test(code)) return 'timeout';
  if (TLS_CODE_PATTERN.test(code)) return 'tls';
  if (BAD_RESPONSE_PATTERN.test(code) || BAD_RESPONSE_PATTERN.test(name ?? '')) return 'bad_answer';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too_large';
  return 'connection';
}

/** Maps an error of undici, Node or OpenSSL. `signal` is the timeout signal of the request. */
export function toSafeHttpError(error: unknown, signal?: AbortSignal): SafeHttpError {
  if (error instanceof SafeHttpError) return error;
  const kind = signal?.aborted ? 'timeout' : toErrorKind(error as Error);
  return new SafeHttpError(kind, MESSAGES[kind], { cause: error });
}

/** 4xx statuses of RFC 9110, RFC 8470 and RFC 6585 after which a retry may succeed. */
const TRANSIENT_STATUSES = new Set([408, 421, 425, 429]);

/** Whether a retry may be answered with 200. */
export const isTransientStatus = (status: number): boolean => status >= 500 || TRANSIENT_STATUSES.has(status);
