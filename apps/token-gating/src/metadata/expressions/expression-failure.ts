/**
 * - `query_limit_exceeded`: the expression used more time, memory, depth or steps than it may
 * - `query_invalid`: the expression cannot be evaluated over this document
 * - `query_unavailable`: too many evaluations wait; a retry may succeed
 */
export type ExpressionFailureCode = 'query_limit_exceeded' | 'query_invalid' | 'query_unavailable';

/** Why it is unknown whether a document matches. Same shape as ReadFailure. */
export interface ExpressionFailure {
  readonly ok: false;
  readonly permanent: boolean;
  readonly code: ExpressionFailureCode;
  readonly message: string;
}

const createFailure = (code: ExpressionFailureCode, message: string): ExpressionFailure =>
  Object.freeze({ ok: false, permanent: code !== 'query_unavailable', code, message });

export const QUERY_LIMIT_EXCEEDED = createFailure(
  'query_limit_exceeded',
  'the query takes more time, memory, depth or steps than it may',
);
export const QUERY_FAILED = createFailure(
  'query_invalid',
  'the query cannot be evaluated over the metadata of a token',
);
export const QUERY_UNAVAILABLE = createFailure(
  'query_unavailable',
  'the query was not evaluated: too many others are at the moment',
);
