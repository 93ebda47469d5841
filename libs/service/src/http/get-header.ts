import type { IncomingMessage } from 'node:http';
import type { RequestHeaderName } from '@app/openapi';

/**
 * The value of a request header that stands in the table of headers. Apps read headers with this function only:
 * `test/gateway/header-table.spec.ts` finds its calls and compares them with what the gateway forwards. Nest's `@Headers()`
 * would also add a parameter to the OpenAPI document and change the signature of generated clients, which call by position.
 */
export function getHeader(
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: RequestHeaderName,
): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
