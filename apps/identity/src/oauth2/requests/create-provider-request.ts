import { Readable } from 'node:stream';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Request } from 'express';

export interface ProviderTarget {
  /** Path and query, as oidc-provider shall see them. */
  readonly url: string;
  /** The form of a POST, read and checked already. */
  readonly form?: Readonly<Record<string, string>>;
}

/** What oidc-provider reads of a request. Where it came from is not among it: that is what the configuration says. */
const FORWARDED_HEADER_NAMES = ['accept', 'authorization', 'cookie'] as const;

/** Where users and clients reach the service, in the words of a proxy. */
export type ForwardedHeaders = Readonly<Record<'host' | 'x-forwarded-host' | 'x-forwarded-proto', string>>;

export function createForwardedHeaders(origin: string): ForwardedHeaders {
  const { protocol, host } = new URL(origin);
  return { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) };
}

/**
 * A request for oidc-provider, made anew: at the address where users reach the service, with the parameters and headers that
 * we know, and a body that nobody has read.
 */
export function createProviderRequest(
  request: Request,
  { url, form }: ProviderTarget,
  forwarded: ForwardedHeaders,
): IncomingMessage {
  const headers: IncomingHttpHeaders = { ...forwarded };
  for (const name of FORWARDED_HEADER_NAMES)
    if (request.headers[name] !== undefined) headers[name] = request.headers[name];
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
