import { FetchFailure, type FetchFailureKind } from './fetch-failure.js';

export const LATE = 'the host did not answer in time';

const MESSAGES = {
  timeout: LATE,
  tls: 'the host could not prove its identity',
  connection: 'the host could not be reached, or the connection was lost',
  too_large: 'the answer is too large',
  bad_answer: 'the answer is not valid HTTP',
} as const;

type ThrownKind = keyof typeof MESSAGES & FetchFailureKind;

const TIMEOUT = /^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;
/** Node's own codes and OpenSSL's verdicts: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_C|INVALID_(?:CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_)/;
/** undici's parser leaves the code out now and then, so its name counts. */
const BAD_ANSWER = /^(?:HTTPParserError|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;

function kindOf({ name, code = '' }: { name?: string; code?: string }): ThrownKind {
  if (TIMEOUT.test(code)) return 'timeout';
  if (TLS.test(code)) return 'tls';
  if (BAD_ANSWER.test(code) || BAD_ANSWER.test(name ?? '')) return 'bad_answer';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too_large';
  return 'connection';
}

/** The one place that says what a thrown error means. `signal` is the one that ends the request when its time is up. */
export function toFetchFailure(error: unknown, signal?: AbortSignal): FetchFailure {
  if (error instanceof FetchFailure) return error;
  const kind = signal?.aborted ? 'timeout' : kindOf(error as Error);
  return new FetchFailure(kind, MESSAGES[kind], { cause: error });
}
