import type { Client } from './client.js';
import { ConnectionError, type GatehouseError, toGatehouseError } from './errors.js';
import { IDEMPOTENCY_KEY_ROUTES } from './openapi.js';
import {
  isIdempotent,
  parseRetryAfter,
  planRetry,
  type RetryOptions,
  sleep,
  waitUntilAborted,
} from './retry.js';
import type { Input, Output, Route } from './routes.js';

/** What every request takes beside what its operation declares. */
export interface RequestOptions {
  readonly signal?: AbortSignal | null | undefined;
  /** Replaces that of the client, for each attempt. */
  readonly timeoutMs?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /** For operations that name the header `Prefer`, such as `handling=lenient`. */
  readonly prefer?: string | undefined;
  /** Says that a POST or PATCH changes nothing, so that it is repeated like a GET. */
  readonly isRepeatable?: boolean | undefined;
}

/** What operations take beside the others that name the header `Idempotency-Key`. */
export interface IdempotencyOptions {
  /** Makes repeating the request safe, so that it is repeated. */
  readonly idempotencyKey?: string | undefined;
}

/** Operations that read the header `Idempotency-Key`. */
export type IdempotencyKeyRoute = (typeof IDEMPOTENCY_KEY_ROUTES)[number];

type OptionsOf<R extends Route> = Input<R> &
  RequestOptions &
  (R extends IdempotencyKeyRoute ? IdempotencyOptions : { readonly idempotencyKey?: never });

/** Options are left out where an operation needs none. */
export type RequestArguments<R extends Route> =
  object extends Input<R> ? [options?: OptionsOf<R>] : [options: OptionsOf<R>];

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
}

/** The parts of a request, whatever its route. */
export interface RequestParts extends RequestOptions, IdempotencyOptions {
  /** No attempt begins later than this after the first one. */
  readonly maxRepeatMs?: number | undefined;
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
  if (parts.idempotencyKey !== undefined && !takesIdempotencyKey(route))
    throw new TypeError(`${route} does not read the header Idempotency-Key: repeating it is not safe.`);
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
    parts.isRepeatable ?? (hasSameEffectTwice(method, template, parts) || parts.idempotencyKey !== undefined);
  const policy = { ...client.retry, ...parts.retry };
  const timeoutMs = parts.timeoutMs ?? client.timeoutMs;
  const startedAt = Date.now();
  let hasRenewed = false;
  for (let failed = 0; ;) {
    parts.signal?.throwIfAborted();
    const credentials = await waitUntilAborted(client.createHeaders(), parts.signal);
    const init: RequestInit = {
      method,
      headers: { ...ownHeaders, ...credentials },
      // No redirect takes credentials to another host. Cloudflare Workers refuse `error`, so `manual` is checked below.
      redirect: 'manual',
      // No cookie of a page comes along. Workers have no cookies, and refuse the option.
      ...(hasCookies() && { credentials: 'omit' }),
      ...(content !== undefined && { body: content }),
    };
    const outcome = await attempt<T>(client.fetch, url, init, timeoutMs, parts.signal);
    if ('data' in outcome) return outcome;
    if (outcome.status === 401 && !hasRenewed) {
      hasRenewed = true;
      if (await waitUntilAborted(client.renew(credentials), parts.signal)) continue;
    }
    failed += 1;
    const delay = planRetry({ ...outcome, isRepeatable }, failed, policy);
    if (delay === undefined) throw outcome.error;
    if (Date.now() + delay - startedAt > (parts.maxRepeatMs ?? Infinity)) throw outcome.error;
    await sleep(delay, parts.signal);
  }
}

const takesIdempotencyKey = (route: Route): route is IdempotencyKeyRoute =>
  (IDEMPOTENCY_KEY_ROUTES as readonly Route[]).includes(route);

/**
 * A PUT that names the state that it replaces is refused the second time, and so is one that gives a community away: the second answer
 * would say that nothing was done.
 */
function hasSameEffectTwice(method: string, template: string, { body, query }: RequestParts): boolean {
  if (!isIdempotent(method)) return false;
  const namesState = [body, query].some(
    (values) =>
      typeof values === 'object' && values !== null && ('replaces' in values || 'revision' in values),
  );
  return !(method === 'PUT' && (namesState || template.endsWith('/owner')));
}

const hasCookies = (): boolean => typeof Request !== 'undefined' && 'credentials' in Request.prototype;

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
    const { status, headers, ok, type } = response;
    if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      await response.body?.cancel();
      return toFailure(init, url, status, 'the answer is a redirect, which is not followed');
    }
    const data = await readBody(response);
    if (ok && !isAnswer(init.method, headers, data))
      return toFailure(init, url, status, 'the answer is not JSON');
    if (ok) return { status, headers, data: data as T };
    const retryAfterMs = parseRetryAfter(headers.get('retry-after'));
    return { status, retryAfterMs, error: toGatehouseError(response, data, retryAfterMs) };
  } catch (cause) {
    signal?.throwIfAborted();
    const reason = timeout.aborted ? `no answer within ${String(timeoutMs)} ms` : 'no answer';
    return toFailure(init, url, undefined, reason, cause);
  }
}

/** @param status undefined where no answer came, so that the request may be repeated */
function toFailure(
  { method = '' }: RequestInit,
  url: string,
  status: number | undefined,
  reason: string,
  cause?: unknown,
): Failed {
  const error = new ConnectionError(`${method} ${withoutQuery(url)}: ${reason}`, { cause, status });
  return { status, retryAfterMs: undefined, error };
}

/** Successful answers are JSON or empty, but for a list of credentials' states. A page of a proxy or a login is no answer. */
function isAnswer(method: string | undefined, headers: Headers, data: unknown): boolean {
  const type = headers.get('content-type') ?? '';
  return data === undefined ? method !== 'GET' : JSON_TYPE.test(type) || type.startsWith(STATUS_LIST_TYPE);
}

const JSON_TYPE = /[/+]json\b/i;
const STATUS_LIST_TYPE = 'application/statuslist+jwt';

/** @throws SyntaxError where an answer that says it is JSON is none */
async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  if (!JSON_TYPE.test(response.headers.get('content-type') ?? '')) return text;
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
