import type { Client } from './client.js';
import { ConnectionError, type GatehouseError, toGatehouseError } from './errors.js';
import { isIdempotent, parseRetryAfter, planRetry, type RetryOptions, sleep } from './retry.js';
import type { Input, Output, Route } from './routes.js';

/** What every request takes beside what its operation declares. */
export interface RequestOptions {
  readonly signal?: AbortSignal | null | undefined;
  /** Replaces that of the client, for each attempt. */
  readonly timeoutMs?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /** For operations that name the header `Idempotency-Key`: makes repeating them safe, so that it is done. */
  readonly idempotencyKey?: string | undefined;
  /** For operations that name the header `Prefer`, such as `handling=lenient`. */
  readonly prefer?: string | undefined;
  /** Says that a POST or PATCH changes nothing, so that it is repeated like a GET. */
  readonly isRepeatable?: boolean | undefined;
}

/** Options are left out where an operation needs none. */
export type RequestArguments<R extends Route> =
  object extends Input<R> ? [options?: Input<R> & RequestOptions] : [options: Input<R> & RequestOptions];

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
}

/** The parts of a request, whatever its route. */
export interface RequestParts extends RequestOptions {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly header?: object | undefined;
  readonly body?: unknown;
}

/**
 * Calls an operation: `await request(client, 'GET /communities/{communityId}', { path: { communityId } })`.
 * @returns the body of the answer
 * @throws GatehouseError for an answer that is no success, ConnectionError for no answer, and the signal's reason
 */
export async function request<R extends Route>(
  client: Client,
  route: R,
  ...[options]: RequestArguments<R>
): Promise<Output<R>> {
  return (await send<Output<R>>(client, route, options)).data;
}

/** Calls an operation like `request`, and returns status and headers beside the body. */
export function requestAnswer<R extends Route>(
  client: Client,
  route: R,
  ...[options]: RequestArguments<R>
): Promise<Answer<Output<R>>> {
  return send<Output<R>>(client, route, options);
}

export async function send<T>(client: Client, route: Route, parts: RequestParts = {}): Promise<Answer<T>> {
  const [method = '', template = ''] = route.split(' ');
  const url = client.baseUrl + fillPath(template, parts.path) + toQuery(parts.query);
  const { content, type } = encodeBody(template, parts.body);
  const ownHeaders = {
    Accept: 'application/json',
    ...(type !== undefined && { 'Content-Type': type }),
    ...(parts.idempotencyKey !== undefined && { 'Idempotency-Key': parts.idempotencyKey }),
    ...(parts.prefer !== undefined && { Prefer: parts.prefer }),
    ...parts.header,
  };
  const isRepeatable =
    isIdempotent(method) || parts.isRepeatable === true || parts.idempotencyKey !== undefined;
  const policy = { ...client.retry, ...parts.retry };
  const timeoutMs = parts.timeoutMs ?? client.timeoutMs;
  let hasRenewed = false;
  for (let failed = 0; ;) {
    parts.signal?.throwIfAborted();
    const credentials = await client.createHeaders();
    const init: RequestInit = {
      method,
      headers: { ...ownHeaders, ...credentials },
      // No redirect takes credentials to another host, and no cookie of a page comes along.
      redirect: 'error',
      credentials: 'omit',
      ...(content !== undefined && { body: content }),
    };
    const outcome = await attempt<T>(client.fetch, url, init, timeoutMs, parts.signal);
    if ('data' in outcome) return outcome;
    if (outcome.status === 401 && !hasRenewed && (await client.renew(credentials))) {
      hasRenewed = true;
      continue;
    }
    failed += 1;
    const delay = planRetry({ ...outcome, isRepeatable }, failed, policy);
    if (delay === undefined) throw outcome.error;
    await sleep(delay, parts.signal);
  }
}

interface Failed {
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly error: GatehouseError | ConnectionError;
}

/** @throws the reason of `signal` */
async function attempt<T>(
  fetch: Client['fetch'],
  url: string,
  init: RequestInit,
  timeoutMs: number,
  signal: AbortSignal | null | undefined,
): Promise<Answer<T> | Failed> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      ...init,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const { status, headers, ok } = response;
    const data = await readBody(response);
    if (ok) return { status, headers, data: data as T };
    const retryAfterMs = parseRetryAfter(headers.get('retry-after'));
    return { status, retryAfterMs, error: toGatehouseError(response, data, retryAfterMs) };
  } catch (cause) {
    signal?.throwIfAborted();
    const reason = timeout.aborted ? `no answer within ${String(timeoutMs)} ms` : 'no answer';
    const error = new ConnectionError(`${init.method ?? ''} ${withoutQuery(url)}: ${reason}`, { cause });
    return { status: undefined, retryAfterMs: undefined, error };
  }
}

/** @throws SyntaxError where an answer that says it is JSON is none */
async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  const isJson = /[/+]json\b/i.test(response.headers.get('content-type') ?? '');
  if (!isJson) return text;
  // What a broken proxy says of an error decides nothing.
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (response.ok) throw error;
    return undefined;
  }
}

/** A query may hold a token, which has no place in an error message. */
const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? '';

/** @throws TypeError for a value that is missing, or that would make another path */
export function fillPath(template: string, values: object = {}): string {
  const known = new Map<string, unknown>(Object.entries(values));
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = known.get(name);
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    // URLs resolve dots, also encoded ones.
    if (text === '' || text === '.' || text === '..')
      throw new TypeError(
        `The path parameter ${name} of ${template} must be a text other than "." and "..".`,
      );
    return encodeURIComponent(text);
  });
}

type QueryValue = string | number | boolean | undefined;

function toQuery(values: object = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values) as [string, QueryValue | readonly QueryValue[]][])
    for (const one of Array.isArray(value) ? (value as readonly QueryValue[]) : [value as QueryValue])
      if (one !== undefined) query.append(name, String(one));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function encodeBody(template: string, body: unknown): { content?: string | URLSearchParams; type?: string } {
  if (body === undefined) return {};
  if (!template.startsWith('/oauth2/')) return { content: JSON.stringify(body), type: 'application/json' };
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body as Record<string, string | undefined>))
    if (value !== undefined) form.set(name, value);
  return { content: form };
}
