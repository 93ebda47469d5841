import { HTTP_ERROR_NAMES } from '@app/common';
import { COMMON_ERRORS, groupByStatus, listErrorCodes } from './declared-errors.js';
import type { ConflictDescriptions, OpenApiOperation, OpenApiResponse } from './openapi-document.js';
import { listResponseHeaders, referToHeaders } from './response-headers.js';

export const ERROR_ENVELOPE_SCHEMA_ID = 'ErrorEnvelope';

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is invalid; `details.issues` lists the invalid fields.',
  401: 'A valid credential, or a signed-in user, is required.',
  403: 'The caller is not allowed to do this.',
  404: 'The resource does not exist, or is not visible to the caller.',
  405: 'The path has other methods; `Allow` lists them.',
  408: 'The request did not arrive in time.',
  409: 'The request conflicts with the current state.',
  413: 'The body is too large, compressed or decompressed.',
  415: 'The operation does not support the content type or encoding of the body.',
  429: 'A rate limit is exceeded; retry after the seconds in `Retry-After`.',
  431: 'The headers are too large.',
  500: 'An internal error occurred.',
  501: 'The operation is not implemented yet.',
  502: 'The service behind the gateway could not be reached.',
  503: 'The service is temporarily unavailable; retry after the seconds in `Retry-After`.',
  504: 'The service behind the gateway did not respond in time.',
};

const toErrorResponse = (
  status: number,
  codes: readonly string[],
  conflicts: ConflictDescriptions = {},
): OpenApiResponse => {
  const causes = codes.map((code) => `\`${code}\`` + (conflicts[code] ? `: ${conflicts[code]}` : ''));
  return {
    description: `${DESCRIPTIONS[status] ?? ''} Codes: ${causes.join('; ')}.`,
    headers: referToHeaders(listResponseHeaders(status)),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${ERROR_ENVELOPE_SCHEMA_ID}` } } },
    'x-error-codes': codes,
  };
};

const getComponentName = (status: number): string =>
  HTTP_ERROR_NAMES[status as keyof typeof HTTP_ERROR_NAMES];

const COMMON_CODES = groupByStatus(COMMON_ERRORS);

/** Error responses that are the same for every operation, by their name under `components.responses`. */
export const createCommonResponses = (): Record<string, OpenApiResponse> =>
  Object.fromEntries(
    [...COMMON_CODES].map(([status, codes]) => [getComponentName(status), toErrorResponse(status, codes)]),
  );

/** The operation's own responses with their headers, and a response for each error status that it can answer. */
export function completeResponses(operation: OpenApiOperation): OpenApiOperation['responses'] {
  const responses: OpenApiOperation['responses'] = {};
  for (const [status, codes] of listErrorCodes(operation)) {
    responses[status] =
      codes.length === COMMON_CODES.get(status)?.length
        ? { $ref: `#/components/responses/${getComponentName(status)}` }
        : toErrorResponse(status, codes, status === 409 ? operation['x-internal-conflicts'] : {});
  }
  for (const [status, response] of Object.entries(operation.responses))
    responses[status] =
      '$ref' in response
        ? response
        : {
            ...response,
            headers: { ...referToHeaders(listResponseHeaders(Number(status))), ...response.headers },
          };
  return responses;
}
