import { type RESPONSE_HEADERS, describeOptionalHeaders } from './headers.js';
import { HTTP_ERROR_NAMES } from '@app/common';
import { errorEnvelope } from '@app/dto';
import { z } from 'zod';
import { COMMON_ERRORS, groupByStatus, listErrorCodes } from './declared-errors.js';
import type {
  ConflictDescriptions,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiResponse,
  Upstream,
} from './openapi-document.js';
import { createCallbacks } from './create-callbacks.js';
import { createSecuritySchemes } from './create-security-schemes.js';
import { createTagGroups } from './tag-groups.js';

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;

/** Response headers of the API, which responses refer to. */
const DOCUMENTED_HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request: its own if it sent one, else a new one.',
    schema: text,
  },
  'X-RateLimit-Limit': { description: 'Requests of the tightest rate limit.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Requests that remain in its window.', schema: integer },
  'X-RateLimit-Reset': {
    description: 'When its window ends.',
    schema: { ...text, format: 'date-time' },
  },
  'RateLimit-Policy': {
    description: 'All rate limits (draft-ietf-httpapi-ratelimit-headers).',
    schema: text,
    example: '"second";q=10;w=1, "month";q=10000;w=2592000',
  },
  RateLimit: {
    description: 'What remains of all rate limits (draft-ietf-httpapi-ratelimit-headers).',
    schema: text,
    example: '"second";r=9;t=1, "month";r=9999;t=86400',
  },
  'Retry-After': { description: 'Seconds until the next attempt.', schema: integer },
  'WWW-Authenticate': { description: 'The authentication schemes (RFC 9110 section 11.6.1).', schema: text },
  Allow: { description: 'The methods of the path.', schema: text },
  ETag: { description: 'Changes with the body; for `If-None-Match`.', schema: text },
  'X-Data-Until': {
    description: 'What happened until then is in the rows. Absent before all apps have sent a heartbeat.',
    schema: { ...text, format: 'date-time' },
  },
  Location: { description: 'Where the browser is sent.', schema: text },
  'Preference-Applied': {
    description: '`handling=lenient` if the request preferred that.',
    schema: text,
  },
} as const satisfies Partial<Record<keyof typeof RESPONSE_HEADERS, object>>;
export type ResponseHeader = keyof typeof DOCUMENTED_HEADERS;

const createHeaders = (): Record<string, object> => ({ ...DOCUMENTED_HEADERS });

type References = Record<string, { $ref: string }>;

export const referToHeaders = (names: readonly ResponseHeader[]): References =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const RATE_LIMIT_HEADERS: readonly ResponseHeader[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

const HEADERS_BY_STATUS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  303: ['Location'],
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
/** Statuses that Node's HTTP parser answers, before any rate limit. */
const isParserStatus = (status: number): boolean => status === 431;

/** Headers that any operation sends with a status. */
const listResponseHeaders = (status: number): ResponseHeader[] => [
  'X-Request-Id',
  ...(isParserStatus(status) ? [] : RATE_LIMIT_HEADERS),
  ...(HEADERS_BY_STATUS[status] ?? []),
];

const ERROR_ENVELOPE_SCHEMA_ID = 'ErrorEnvelope';

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
const createCommonResponses = (): Record<string, OpenApiResponse> =>
  Object.fromEntries(
    [...COMMON_CODES].map(([status, codes]) => [getComponentName(status), toErrorResponse(status, codes)]),
  );

/** The operation's own responses with their headers, and a response for each error status that it can answer. */
function completeResponses(operation: OpenApiOperation): OpenApiOperation['responses'] {
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

/** The API version (spec.md section 9). */
const VERSION = '0.81.3';

/** The document that the controllers and schemas of one app produce. */
interface AppOpenApiDocument {
  paths: object;
  components?: { schemas?: Record<string, unknown> };
}

/** The server URL of the committed document; the gateway replaces it with its own. */
const PLACEHOLDER_URL = 'http://localhost:3000';

/** Merges the apps' documents. @throws Error when two apps use the same operation id or path, or a schema id differently */
export function mergeDocuments(apps: Readonly<Record<Upstream, AppOpenApiDocument>>): OpenApiDocument {
  const merged: OpenApiDocument = {
    openapi: '3.0.3',
    info: {
      title: 'Gatehouse',
      version: VERSION,
      description: `Token gating, accounts, account-kit, analytics, assets.\n\n${describeOptionalHeaders()}`,
    },
    servers: [{ url: PLACEHOLDER_URL }],
    'x-tagGroups': [],
    paths: {},
    components: {
      schemas: { [ERROR_ENVELOPE_SCHEMA_ID]: toJsonSchema(errorEnvelope) },
      headers: createHeaders(),
      responses: createCommonResponses(),
      securitySchemes: createSecuritySchemes(PLACEHOLDER_URL),
    },
  };
  const operationIds = new Set<string>();
  for (const [upstream, document] of Object.entries(apps) as [Upstream, AppOpenApiDocument][]) {
    addSchemas(merged.components.schemas, document.components?.schemas ?? {});
    addOperations(merged, document.paths as OpenApiDocument['paths'], upstream, operationIds);
  }
  merged['x-tagGroups'] = createTagGroups(listTags(merged));
  return merged;
}

const listTags = ({ paths }: OpenApiDocument): Set<string> =>
  new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)));

/** The JSON Schema itself: converted inside an object, because zod renders a named schema at the root as a reference. */
function toJsonSchema(schema: z.ZodType): unknown {
  const { definitions = {} } = z.toJSONSchema(z.object({ root: schema }), {
    target: 'openapi-3.0',
    io: 'input',
  });
  return (definitions as Record<string, unknown>)[ERROR_ENVELOPE_SCHEMA_ID];
}

function addSchemas(target: Record<string, unknown>, schemas: Record<string, unknown>): void {
  for (const [id, schema] of Object.entries(schemas)) {
    if (id in target && JSON.stringify(target[id]) !== JSON.stringify(schema)) {
      throw new Error(`Two apps describe the schema ${id} differently`);
    }
    target[id] = schema;
  }
}

function addOperations(
  merged: OpenApiDocument,
  paths: OpenApiDocument['paths'],
  upstream: Upstream,
  operationIds: Set<string>,
): void {
  for (const [path, methods] of Object.entries(paths)) {
    const target = (merged.paths[path] ??= {});
    for (const [method, operation] of Object.entries(methods)) {
      if (target[method]) throw new Error(`Two apps answer ${method.toUpperCase()} ${path}`);
      if (operationIds.has(operation.operationId))
        throw new Error(`Two operations are called ${operation.operationId}`);
      operationIds.add(operation.operationId);
      addSchemas(merged.components.schemas, operation['x-internal-callback']?.schemas ?? {});
      target[method] = completeOperation(operation, upstream);
    }
  }
}

/** The parameter order that clients with positional arguments rely on (contract.md section 1). */
const PARAMETER_ORDER = ['path', 'header', 'query'];

function completeOperation(operation: OpenApiOperation, upstream: Upstream): OpenApiOperation {
  const {
    'x-internal-errors': _errors,
    'x-internal-conflicts': _conflicts,
    'x-internal-callback': callback,
    ...kept
  } = operation;
  const [tag, name] = operation.operationId.split('.');
  if (tag === undefined || name === undefined)
    throw new Error(`${operation.operationId} is not <Tag>.<method>`);
  const rank = (parameter: { in: string }) => PARAMETER_ORDER.indexOf(parameter.in);
  return {
    ...kept,
    tags: [tag],
    parameters: [...(operation.parameters ?? [])].sort((a, b) => rank(a) - rank(b)),
    responses: completeResponses(operation),
    ...(callback ? { callbacks: createCallbacks(callback) } : {}),
    'x-operation-name': name,
    'x-internal-upstream': upstream,
  };
}
