import type { TextAnswer } from '@app/http';
import { FetchFailure } from '@app/http';

/**
 * - `list_unavailable`, `list_timeout`: where the list lies did not answer; it may next time
 * - `list_refused`: it answered, and there is no list for us
 * - `list_malformed`: what lies there is no list of token ids, or one that is too long
 */
export type ListFailureCode = 'list_unavailable' | 'list_timeout' | 'list_refused' | 'list_malformed';

/** Why the token ids of a rule are not known. In form like the failure of a read. */
export interface ListFailure {
  readonly ok: false;
  readonly lasting: boolean;
  readonly code: ListFailureCode;
  readonly message: string;
}

const lasting = {
  list_unavailable: false,
  list_timeout: false,
  list_refused: true,
  list_malformed: true,
} as const;

export function listFailure(code: ListFailureCode, message: string): ListFailure {
  return { ok: false, lasting: lasting[code], code, message: `the list of token ids ${message}` };
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

export const failureOfFetch = ({ kind, message }: FetchFailure): ListFailure =>
  listFailure(CODES[kind], `could not be fetched: ${message}`);

/** RFC 9110 statuses that say: not now. */
const PASSING = new Set([408, 421, 425, 429]);

/** Undefined for 200. */
export function failureOfStatus({ status }: Pick<TextAnswer, 'status'>): ListFailure | undefined {
  if (status === 200) return undefined;
  const isPassing = status >= 500 || PASSING.has(status);
  return listFailure(isPassing ? 'list_unavailable' : 'list_refused', `was answered with status ${status}`);
}
