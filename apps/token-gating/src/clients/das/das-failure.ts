/**
 * - `indexer_unavailable`: the indexer did not answer, or not in time
 * - `indexer_limit_exceeded`: the rate limit of the indexer, or the tenant's share of it, is used up
 * - `indexer_malformed_answer`: the response is not what the API promises
 */
export type DasFailureCode = 'indexer_unavailable' | 'indexer_limit_exceeded' | 'indexer_malformed_answer';

/** Why the assets of an account are unknown. A retry may succeed. Same shape as ReadFailure. */
export interface DasFailure {
  readonly ok: false;
  readonly permanent: false;
  readonly code: DasFailureCode;
  readonly message: string;
}

export const createDasFailure = (code: DasFailureCode, message: string): DasFailure => ({
  ok: false,
  permanent: false,
  code,
  message,
});
