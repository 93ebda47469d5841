import { AppError, type ErrorDetails } from './app-error.js';

/** Names of the failures that callers see, by status (contract.md section 2). */
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
  501: 'NotImplementedError',
  502: 'BadGatewayError',
  503: 'ServiceUnavailableError',
  504: 'GatewayTimeoutError',
} as const;

export type HttpErrorStatus = keyof typeof HTTP_ERROR_NAMES;

/** Makes the factory of one status. `code` is the precise cause, stable for programs; `message` is for people. */
const failure =
  (statusCode: HttpErrorStatus) =>
  (code: string, message: string, details: ErrorDetails = {}, options?: ErrorOptions): AppError =>
    new AppError(HTTP_ERROR_NAMES[statusCode], statusCode, message, { code, ...details }, options);

export const badRequest = failure(400);
export const unauthorized = failure(401);
export const forbidden = failure(403);
export const notFound = failure(404);
export const methodNotAllowed = failure(405);
export const requestTimeout = failure(408);
export const conflict = failure(409);
export const payloadTooLarge = failure(413);
export const unsupportedMediaType = failure(415);
export const tooManyRequests = failure(429);
export const headersTooLarge = failure(431);
export const internalServerError = failure(500);
export const notImplemented = failure(501);
export const badGateway = failure(502);
export const serviceUnavailable = failure(503);
export const gatewayTimeout = failure(504);

export function isHttpErrorStatus(status: number): status is HttpErrorStatus {
  return status in HTTP_ERROR_NAMES;
}
