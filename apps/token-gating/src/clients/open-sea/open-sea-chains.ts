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

type OpenSeaFailureCode = keyof typeof IS_PERMANENT;

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

/** Chain ids by the names of OpenSea's API. */
const CHAIN_IDS: ReadonlyMap<string, number> = new Map([
  ['ethereum', 1],
  ['optimism', 10],
  ['bsc', 56],
  ['unichain', 130],
  ['matic', 137],
  ['monad', 143],
  ['shape', 360],
  ['flow', 747],
  ['hyperevm', 999],
  ['sei', 1_329],
  ['soneium', 1_868],
  ['ronin', 2_020],
  ['abstract', 2_741],
  ['megaeth', 4_326],
  ['somnia', 5_031],
  ['b3', 8_333],
  ['klaytn', 8_217],
  ['base', 8_453],
  ['ape_chain', 33_139],
  ['arbitrum', 42_161],
  ['arbitrum_nova', 42_170],
  ['avalanche', 43_114],
  ['gunzilla', 43_419],
  ['animechain', 69_000],
  ['bera_chain', 80_094],
  ['blast', 81_457],
  ['zora', 7_777_777],
  ['sepolia', 11_155_111],
  ['solana', 8_000_000_000_101],
]);

/** The chain id of a chain as OpenSea names it; undefined for a chain that is not known here. */
export const findOpenSeaChainId = (name: string): number | undefined => CHAIN_IDS.get(name);
