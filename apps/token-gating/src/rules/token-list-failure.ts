import type { TextResponse } from '@app/http';
import { SafeHttpError } from '@app/http';

/**
 * - `list_unavailable`, `list_timeout`: where the list lies did not answer; it may next time
 * - `list_refused`: it answered, and there is no list for us
 * - `list_malformed`: what lies there is no list of token ids, or one that is too long
 */
export type TokenListFailureCode = 'list_unavailable' | 'list_timeout' | 'list_refused' | 'list_malformed';

/** Why the token ids of a rule are not known. In form like the failure of a read. */
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

const CODES = {
  blocked: 'list_refused',
  dns: 'list_unavailable',
  timeout: 'list_timeout',
  tls: 'list_unavailable',
  connection: 'list_unavailable',
  too_large: 'list_malformed',
  bad_answer: 'list_malformed',
} as const;

export const toTokenListFailure = ({ kind, message }: SafeHttpError): TokenListFailure =>
  createTokenListFailure(CODES[kind], `could not be fetched: ${message}`);

/** RFC 9110 statuses that say: not now. */
const PASSING = new Set([408, 421, 425, 429]);

/** Undefined for 200. */
export function findStatusFailure({ status }: Pick<TextResponse, 'status'>): TokenListFailure | undefined {
  if (status === 200) return undefined;
  const isPassing = status >= 500 || PASSING.has(status);
  return createTokenListFailure(
    isPassing ? 'list_unavailable' : 'list_refused',
    `was answered with status ${status}`,
  );
}
