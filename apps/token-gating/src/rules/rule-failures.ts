import { isTransientStatus, SafeHttpError, type TextResponse } from '@app/http';
import { isIdentityUnavailable } from '../clients/identity-client.js';

/** The wallets of a user are unknown because identity is unavailable. Same shape as ReadFailure. */
export interface WalletLookupFailure {
  readonly ok: false;
  readonly permanent: false;
  readonly code: 'wallets_unavailable';
  readonly message: string;
}

const WALLETS_UNAVAILABLE: WalletLookupFailure = Object.freeze({
  ok: false,
  permanent: false,
  code: 'wallets_unavailable',
  message: 'the wallets of the user could not be looked up',
});

/** Converts an error of the identity client. Rethrows every error but identity_unavailable. */
export function toWalletLookupFailure(error: unknown): WalletLookupFailure {
  if (isIdentityUnavailable(error)) return WALLETS_UNAVAILABLE;
  throw error;
}

/**
 * - `list_unavailable`, `list_timeout`: the server did not answer; a retry may succeed
 * - `list_refused`: the URL is blocked or the server refused the request
 * - `list_malformed`: the response is not a list of token ids, or too long
 */
export type TokenListFailureCode = 'list_unavailable' | 'list_timeout' | 'list_refused' | 'list_malformed';

/** Why the token ids of a rule are unknown. Same shape as ReadFailure. */
export interface TokenListFailure {
  readonly ok: false;
  readonly permanent: boolean;
  readonly code: TokenListFailureCode;
  readonly message: string;
}

const isPermanent = {
  list_unavailable: false,
  list_timeout: false,
  list_refused: true,
  list_malformed: true,
} as const;

export function createTokenListFailure(code: TokenListFailureCode, message: string): TokenListFailure {
  return { ok: false, permanent: isPermanent[code], code, message: `the list of token ids ${message}` };
}

const CODE_BY_ERROR_KIND = {
  blocked: 'list_refused',
  dns: 'list_unavailable',
  timeout: 'list_timeout',
  tls: 'list_unavailable',
  connection: 'list_unavailable',
  interrupted: 'list_unavailable',
  too_large: 'list_malformed',
  bad_answer: 'list_malformed',
} as const;

export const toTokenListFailure = ({ kind, message }: SafeHttpError): TokenListFailure =>
  createTokenListFailure(CODE_BY_ERROR_KIND[kind], `could not be fetched: ${message}`);

/** The failure for a status other than 200. */
export function findStatusFailure({ status }: Pick<TextResponse, 'status'>): TokenListFailure | undefined {
  if (status === 200) return undefined;
  return createTokenListFailure(
    isTransientStatus(status) ? 'list_unavailable' : 'list_refused',
    `was answered with status ${status}`,
  );
}

/** Tokens that one rule enumerates at most, because any address can send tokens to any other. */
export const MAX_ENUMERATED_TOKENS = 5_000;

/** The account holds too many tokens to read each of them. Same shape as ReadFailure. */
export interface RuleReadLimitFailure {
  readonly ok: false;
  readonly permanent: true;
  readonly code: 'rule_read_limit_exceeded';
  readonly message: string;
}

export const RULE_READ_LIMIT_EXCEEDED: RuleReadLimitFailure = Object.freeze({
  ok: false,
  permanent: true,
  code: 'rule_read_limit_exceeded',
  message: `the account holds more than ${MAX_ENUMERATED_TOKENS} tokens that this rule would have to read`,
});

/** The tokens of an account cannot be known, because the contract does not list them. Same shape as ReadFailure. */
export interface NotEnumerableFailure {
  readonly ok: false;
  readonly permanent: true;
  readonly code: 'rule_not_supported';
  readonly message: string;
}

export const NOT_ENUMERABLE: NotEnumerableFailure = Object.freeze({
  ok: false,
  permanent: true,
  code: 'rule_not_supported',
  message: 'the contract does not list the tokens of an account (ERC721Enumerable): name the ids in tokenId',
});

/** Vaults that may hold enough are not known, because too many delegations hide them. Same shape as ReadFailure. */
export interface VaultsNotReadFailure {
  readonly ok: false;
  readonly permanent: true;
  readonly code: 'vaults_not_read';
  readonly message: string;
}

export const VAULTS_NOT_READ: VaultsNotReadFailure = Object.freeze({
  ok: false,
  permanent: true,
  code: 'vaults_not_read',
  message:
    'the account has too many delegations to read its vaults, and does not hold enough itself: checks outside of communities may name them in vaults',
});
