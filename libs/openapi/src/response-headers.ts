import type { RESPONSE_HEADERS } from './headers.js';

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

export const createHeaders = (): Record<string, object> => ({ ...DOCUMENTED_HEADERS });

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
export const listResponseHeaders = (status: number): ResponseHeader[] => [
  'X-Request-Id',
  ...(isParserStatus(status) ? [] : RATE_LIMIT_HEADERS),
  ...(HEADERS_BY_STATUS[status] ?? []),
];
