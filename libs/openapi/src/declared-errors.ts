import type { OpenApiOperation } from './openapi-document.js';

/** An error that an operation can answer: its status and its `details.code`. */
export type DeclaredError = `${number} ${string}`;

/** Errors of the gateway and of what all services share, for any request. */
export const COMMON_ERRORS: readonly DeclaredError[] = [
  '400 host_invalid',
  '400 http_request_invalid',
  '400 json_invalid',
  '400 parameter_unknown',
  '400 path_invalid',
  '400 request_invalid',
  '401 credential_invalid',
  '405 method_not_supported',
  '408 request_timeout',
  '413 body_limit_exceeded',
  '415 content_encoding_not_supported',
  '415 content_type_not_supported',
  '429 address_limit_exceeded',
  '429 contract_check_limit_exceeded',
  '429 month_limit_exceeded',
  '429 second_limit_exceeded',
  '429 upload_limit_exceeded',
  '431 header_limit_exceeded',
  '500 internal_error',
  '502 upstream_response_invalid',
  '503 credentials_unavailable',
  '503 database_unavailable',
  '503 plans_unavailable',
  '503 service_unavailable',
  '503 upstream_unavailable',
  '504 upstream_timeout',
];

const hasScope = ({ security }: OpenApiOperation): boolean =>
  security.some(({ serviceOAuth2 }) => (serviceOAuth2?.length ?? 0) > 0);

/** Errors that follow from the caller requirement, the parameters and the body of an operation. */
function* deriveErrors(operation: OpenApiOperation): Generator<DeclaredError> {
  const { parameters = [], requestBody, 'x-caller': caller } = operation;
  if (parameters.length > 0 || requestBody) yield '400 input_invalid';
  if (parameters.some(({ name }) => name === 'paginationToken')) yield '400 pagination_token_invalid';
  if (requestBody) yield '400 body_required';
  if (requestBody && 'application/x-www-form-urlencoded' in requestBody.content) yield '400 form_invalid';
  if (caller === 'user') yield '401 user_required';
  if (hasScope(operation)) yield '403 scope_required';
  else if (caller === 'client') yield '403 client_required';
}

/** Error codes of an operation by status: those of every operation, derived ones, and those that its decorator declares. */
export function listErrorCodes(operation: OpenApiOperation): Map<number, string[]> {
  const { 'x-internal-errors': declared = [], 'x-internal-conflicts': conflicts = {} } = operation;
  return groupByStatus([
    ...COMMON_ERRORS,
    ...deriveErrors(operation),
    ...declared,
    ...Object.keys(conflicts).map((code): DeclaredError => `409 ${code}`),
  ]);
}

/** Codes by status, sorted. */
export function groupByStatus(errors: readonly DeclaredError[]): Map<number, string[]> {
  const codes = new Map<number, string[]>();
  for (const error of new Set(errors.toSorted())) {
    const [status = '', code = ''] = error.split(' ');
    codes.set(Number(status), [...(codes.get(Number(status)) ?? []), code]);
  }
  return codes;
}
