import type { z } from 'zod';

/** Details of an error that callers may see: `code`, `issues`, `retryAfter` (seconds) … */
type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * An error whose name, status, message and details are sent to the caller (spec.md section 2.3). Other errors are sent as
 * InternalServerError without their message.
 */
export class AppError extends Error {
  constructor(
    override readonly name: string,
    readonly statusCode: number,
    message: string,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Whether something that the work needs is away (503): no fault of an item, and it passes. */
export const isUnavailable = (error: unknown): error is AppError =>
  error instanceof AppError && error.statusCode === 503;

/** Error names by status (contract.md section 2). */
export const HTTP_ERROR_NAMES = {
  400: 'BadRequestError',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  405: 'MethodNotAllowedError',
  408: 'RequestTimeoutError',
  409: 'ConflictError',
  413: 'PayloadTooLargeError',
  415: 'UnsupportedMediaTypeError',
  429: 'TooManyRequestsError',
  431: 'RequestHeaderFieldsTooLargeError',
  500: 'InternalServerError',
  502: 'BadGatewayError',
  503: 'ServiceUnavailableError',
  504: 'GatewayTimeoutError',
} as const;

type HttpErrorStatus = keyof typeof HTTP_ERROR_NAMES;

/** Creates the error factory of one status. `code` is stable and for programs, `message` is for people. */
const createErrorFactory =
  (statusCode: HttpErrorStatus) =>
  (code: string, message: string, details: ErrorDetails = {}, options?: ErrorOptions): AppError =>
    new AppError(HTTP_ERROR_NAMES[statusCode], statusCode, message, { code, ...details }, options);

export const badRequest = createErrorFactory(400);
export const unauthorized = createErrorFactory(401);
export const forbidden = createErrorFactory(403);
export const notFound = createErrorFactory(404);
export const methodNotAllowed = createErrorFactory(405);
export const requestTimeout = createErrorFactory(408);
export const conflict = createErrorFactory(409);
export const payloadTooLarge = createErrorFactory(413);
export const unsupportedMediaType = createErrorFactory(415);
export const tooManyRequests = createErrorFactory(429);
export const requestHeaderFieldsTooLarge = createErrorFactory(431);
export const internalServerError = createErrorFactory(500);
export const badGateway = createErrorFactory(502);
export const serviceUnavailable = createErrorFactory(503);
export const gatewayTimeout = createErrorFactory(504);

/** The body of every error response of the gateway and the services (spec.md section 2.3). */
export interface ErrorEnvelope {
  error: {
    name: string;
    message: string;
    statusCode: number;
    details: Record<string, unknown>;
    /** The stack; empty except in development. */
    stack: string;
  };
}

interface ErrorEnvelopeOptions {
  requestId: string;
  withStack: boolean;
}

export function toErrorEnvelope(
  error: AppError,
  { requestId, withStack }: ErrorEnvelopeOptions,
): ErrorEnvelope {
  return {
    error: {
      name: error.name,
      message: error.message,
      statusCode: error.statusCode,
      details: { ...error.details, requestId },
      stack: withStack ? (error.stack ?? '') : '',
    },
  };
}

/** A reason why an input is invalid. `path` is dotted: `rules.0.chainId`. */
export interface InputIssue {
  path: string;
  message: string;
}

/** Levels of arrays and objects in JSON that comes from outside: in bodies of requests and in jobs of queues. */
export const MAX_JSON_DEPTH = 32;

/** Why PostgreSQL cannot store a text that is valid JSON; undefined for a storable text. */
export function findTextProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character';
  if (!text.isWellFormed()) return 'must not contain an unpaired surrogate';
  return undefined;
}

/** Bounds the size of the error response. */
const MAX_ISSUES = 50;

type Path = readonly PropertyKey[];

const formatPath = (path: Path): string => path.map(String).join('.');

/** The issues of the union branch that matched deepest: the one that the caller most likely meant. */
function findClosestBranch(branches: readonly z.core.$ZodIssue[][]): readonly z.core.$ZodIssue[] {
  const depth = (issues: readonly z.core.$ZodIssue[]) =>
    Math.max(0, ...issues.map(({ path }) => path.length));
  return [...branches].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? [];
}

function toPlainMessage({ code, message }: z.core.$ZodIssue): string {
  return code === 'invalid_type' && message.endsWith('received undefined') ? 'is required' : message;
}

function flattenIssue(issue: z.core.$ZodIssue, base: Path): InputIssue[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_ISSUES)
      .map((key) => ({ path: formatPath([...path, key]), message: 'is not a known field' }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return findClosestBranch(issue.errors).flatMap((inner) => flattenIssue(inner, path));
  }
  return [{ path: formatPath(path), message: toPlainMessage(issue) }];
}

/** Turns zod's issues into ours: an issue for each invalid or unknown field. Those beyond the limit are not looked at. */
export function toInputIssues(issues: readonly z.core.$ZodIssue[]): InputIssue[] {
  return issues
    .slice(0, MAX_ISSUES)
    .flatMap((issue) => flattenIssue(issue, []))
    .slice(0, MAX_ISSUES);
}

/** The issues in one line, for logs: paths and reasons, never values. */
export const summarizeIssues = (issues: readonly z.core.$ZodIssue[]): string =>
  toInputIssues(issues)
    .map(({ path, message }) => `${path || 'payload'}: ${message}`)
    .join('; ');

/**
 * Formats an error as one line for logs. A refused connection to a host with two addresses has an error code and an
 * empty message.
 */
export function formatErrorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
