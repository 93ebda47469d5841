import { Readable } from 'node:stream';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestHeaderName } from '@app/openapi';
import { getHeader } from '@app/service';
import type { Request } from 'express';

export interface ProviderTarget {
  /** Path and query for oidc-provider. */
  readonly url: string;
  /** The parsed and validated form of a POST. */
  readonly form?: Readonly<Record<string, string>>;
}

/** The headers that oidc-provider needs. Host and protocol come from the configuration instead. */
const FORWARDED_HEADER_NAMES = [
  'accept',
  'authorization',
  'cookie',
] as const satisfies readonly RequestHeaderName[];

/** The service's public URL as the headers of a proxy. */
export type ForwardedHeaders = Readonly<Record<'host' | 'x-forwarded-host' | 'x-forwarded-proto', string>>;

export function createForwardedHeaders(origin: string): ForwardedHeaders {
  const { protocol, host } = new URL(origin);
  return { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) };
}

/**
 * Creates a request for oidc-provider at the service's public URL, with the known parameters and headers only and with an
 * unread body.
 */
export function createProviderRequest(
  request: Request,
  { url, form }: ProviderTarget,
  forwarded: ForwardedHeaders,
): IncomingMessage {
  const headers: IncomingHttpHeaders = { ...forwarded };
  for (const name of FORWARDED_HEADER_NAMES) {
    const value = getHeader(request, name);
    if (value !== undefined) headers[name] = value;
  }
  const stream = new Readable({ read: () => undefined });
  if (form) {
    const body = new URLSearchParams(form).toString();
    headers['content-type'] = 'application/x-www-form-urlencoded';
    headers['content-length'] = String(Buffer.byteLength(body));
    if (body !== '') stream.push(body);
  }
  stream.push(null);
  const { method, socket, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const parts = { method, url, headers, socket, httpVersion, httpVersionMajor, httpVersionMinor };
  return Object.assign(stream, parts) as unknown as IncomingMessage;
}
