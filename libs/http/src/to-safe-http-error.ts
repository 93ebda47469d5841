import { SafeHttpError, type SafeHttpErrorKind } from './safe-http-error.js';

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
