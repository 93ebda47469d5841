import type { ConflictDescriptions, OpenApiOperation } from './openapi-document.js';

export const ERROR_ENVELOPE_SCHEMA_ID = 'ErrorEnvelope';

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

const toErrorResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${ERROR_ENVELOPE_SCHEMA_ID}` } } },
});

/** In the words of the operation, which `details.code` says what. */
function toConflictResponse(conflicts: ConflictDescriptions): Record<string, unknown> {
  const causes = Object.entries(conflicts).map(([code, when]) => `\`${code}\`: ${when}`);
  return { 409: toErrorResponse(`As things are, this cannot be done. ${causes.join('; ')}.`) };
}

/** The answers of an operation with those added that any operation can give, and its conflicts. */
export function addErrorResponses(operation: OpenApiOperation): Record<string, unknown> {
  const { responses, 'x-internal-conflicts': conflicts } = operation;
  const errors = Object.entries(DESCRIPTIONS).map(
    ([status, text]) => [status, toErrorResponse(text)] as const,
  );
  return { ...Object.fromEntries(errors), ...(conflicts ? toConflictResponse(conflicts) : {}), ...responses };
}
