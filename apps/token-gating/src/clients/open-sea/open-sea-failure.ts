/**
 * - `open_sea_unavailable`: OpenSea did not answer, or not in time; a retry may succeed
 * - `open_sea_limit_exceeded`: the rate limit of the key, or the tenant's share of it, is used up; a retry may succeed
 * - `open_sea_malformed_answer`: the response is not what the API promises; a retry may succeed
 * - `open_sea_refused`: OpenSea refused the request
 * - `collection_not_found`: OpenSea has no collection of this name
 * - `collection_chain_unknown`: the collection is on a chain that this service does not know
 * - `open_sea_not_configured`: the deployment has no key any more
 */
const IS_PERMANENT = {
  open_sea_unavailable: false,
  open_sea_limit_exceeded: false,
  open_sea_malformed_answer: false,
  open_sea_refused: true,
  collection_not_found: true,
  collection_chain_unknown: true,
  open_sea_not_configured: true,
} as const;

export type OpenSeaFailureCode = keyof typeof IS_PERMANENT;

/** Why the items of an account are unknown. Same shape as ReadFailure. */
export interface OpenSeaFailure {
  readonly ok: false;
  readonly permanent: boolean;
  readonly code: OpenSeaFailureCode;
  readonly message: string;
}

export const createOpenSeaFailure = (code: OpenSeaFailureCode, message: string): OpenSeaFailure => ({
  ok: false,
  permanent: IS_PERMANENT[code],
  code,
  message,
});
