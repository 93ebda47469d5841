const UNKNOWN_AUTHORITY =
  'the certificate of Redis is of an authority that is not trusted; name the file of its certificate in NODE_EXTRA_CA_CERTS';

/** What an operator has to change, by the error code of Node. */
const HINTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'the certificate of Redis has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of Redis is for another host than REDIS_URL names',
};

/**
 * Why a Redis is unavailable, for logs and readiness. The address is left out: it differs between attempts, and the log has a line for
 * each change of the reason.
 */
export function formatRedisFailure(error: Error & { lastNodeError?: Error }): string {
  const { code, message }: NodeJS.ErrnoException = error.lastNodeError ?? error;
  if (code === undefined) return message;
  const hint = HINTS[code];
  return hint === undefined ? code : `${hint} (${code})`;
}
