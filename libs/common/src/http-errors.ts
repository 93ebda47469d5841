import { AppError, type ErrorDetails } from './app-error.js';

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
