import type { ContractOperation } from './document.js';

export const ERROR_ENVELOPE_ID = 'ErrorEnvelope';

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is not valid; `details.issues` names each field.',
  401: 'Nobody, or nobody we know, is named where somebody is needed.',
  403: 'Who is named may not do this.',
  404: 'There is no such thing, or it is not for you to see.',
  408: 'The request did not arrive in time.',
  413: 'The body is too large, packed or unpacked.',
  415: 'The body is of another type than this operation reads.',
  429: 'A limit is exceeded; `Retry-After` says for how many seconds.',
  501: 'Part of the contract, and not available yet.',
  502: 'This part of the service could not be reached.',
  503: 'Cannot be answered right now; `Retry-After` says when to try again.',
  504: 'This part of the service did not answer in time.',
};

const envelope = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${ERROR_ENVELOPE_ID}` } } },
});

/** The answers of an operation with those added that any operation can give. */
export function withErrorAnswers({ responses }: ContractOperation): Record<string, unknown> {
  const errors = Object.entries(DESCRIPTIONS).map(([status, text]) => [status, envelope(text)] as const);
  return { ...Object.fromEntries(errors), ...responses };
}
