import type { ConflictDescriptions, OpenApiOperation } from './openapi-document.js';

export const ERROR_ENVELOPE_SCHEMA_ID = 'ErrorEnvelope';

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is invalid; `details.issues` lists the invalid fields.',
  401: 'A valid credential, or a signed-in user, is required.',
  403: 'The caller is not allowed to do this.',
  404: 'The resource does not exist, or is not visible to the caller.',
  408: 'The request did not arrive in time.',
  413: 'The body is too large, compressed or decompressed.',
  415: 'The operation does not support the content type or encoding of the body.',
  429: 'A rate limit is exceeded; retry after the seconds in `Retry-After`.',
  501: 'The operation is not implemented yet.',
  502: 'The service behind the gateway could not be reached.',
  503: 'The service is temporarily unavailable; retry after the seconds in `Retry-After`.',
  504: 'The service behind the gateway did not respond in time.',
};

const toErrorResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${ERROR_ENVELOPE_SCHEMA_ID}` } } },
});

/** Lists the operation's conflicts by `details.code`. */
function toConflictResponse(conflicts: ConflictDescriptions): Record<string, unknown> {
  const causes = Object.entries(conflicts).map(([code, when]) => `\`${code}\`: ${when}`);
  return { 409: toErrorResponse(`The request conflicts with the current state. ${causes.join('; ')}.`) };
}

/** The operation's responses, plus its conflicts and the errors that every operation can return. */
export function addErrorResponses(operation: OpenApiOperation): Record<string, unknown> {
  const { responses, 'x-internal-conflicts': conflicts } = operation;
  const errors = Object.entries(DESCRIPTIONS).map(
    ([status, text]) => [status, toErrorResponse(text)] as const,
  );
  return { ...Object.fromEntries(errors), ...(conflicts ? toConflictResponse(conflicts) : {}), ...responses };
}
