import type { Client } from './client.js';
import type { components } from './openapi.js';
import { ConnectionError, GatehouseError } from './errors.js';
import { type IdempotencyOptions, type RequestOptions, requestAnswer, send } from './request.js';
import { MAX_TIMER_MS, parseRetryAfter, sleep, UNAVAILABLE } from './retry.js';

type Schemas = components['schemas'];
/** The rules of one check, and the account that they are about. */
export type RoleCheck = Pick<Schemas['TokenGatingRequest'], 'account' | 'rules'>;
export type RoleAnswer = Schemas['TokenGatingResponse'] & { roles: Schemas['TokenGatingRole'][] };

/** Checks which roles rules grant to an account, at once. It changes nothing, so it is repeated like a GET. */
export async function checkRoles(
  client: Client,
  check: RoleCheck,
  options: RequestOptions = {},
): Promise<RoleAnswer> {
  const parts = { ...options, body: check, isRepeatable: true };
  return toRoles((await send(client, 'POST /access-control/check-roles', parts)).data);
}

/** Checks published rules by their names. With a publishable id it may be called by a page. */
export async function checkPublishedRules(
  client: Client,
  check: Schemas['PublishedRulesCheck'],
  options: RequestOptions = {},
): Promise<RoleAnswer> {
  const parts = { ...options, body: check, isRepeatable: true };
  return toRoles((await send(client, 'POST /access-control/check-published-rules', parts)).data);
}

/**
 * Asks for a check whose result is polled with `waitForRoles`, or called back.
 * @returns the id of the request
 */
export async function checkRolesAsync(
  client: Client,
  check: RoleCheck & Pick<Schemas['TokenGatingRequest'], 'callbackUrl' | 'explain'>,
  options: RequestOptions & IdempotencyOptions = {},
): Promise<string> {
  const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
  const parts = { ...options, idempotencyKey, body: { ...check, async: true } };
  const { data } = await send<{ requestId: string }>(client, 'POST /access-control/check-roles', parts);
  return data.requestId;
}

export interface WaitOptions extends RequestOptions {
  /** How long to wait in all. Default: 15 minutes, because failed reads are retried for ten. */
  readonly maxWaitMs?: number | undefined;
}

const DEFAULT_MAX_WAIT_MS = 15 * 60_000;
const DEFAULT_POLL_MS = 1_000;

/**
 * Polls the result of an asynchronous check as often as `Retry-After` says. Polling goes on while the deployment cannot be reached, and ends
 * where something else answers: a redirect, or a page in place of JSON.
 * @throws DOMException `TimeoutError` when it is not there in time, ConnectionError with a `status` for an answer that is none of Gatehouse's
 */
export async function waitForRoles(
  client: Client,
  requestId: string,
  { maxWaitMs = DEFAULT_MAX_WAIT_MS, ...options }: WaitOptions = {},
): Promise<RoleAnswer> {
  options.signal?.throwIfAborted();
  const endsAt = Date.now() + maxWaitMs;
  const controller = new AbortController();
  const onAbort = (): void => {
    controller.abort(options.signal?.reason);
  };
  const onTimeout = (): void => {
    controller.abort(new DOMException('The result is not there in time', 'TimeoutError'));
  };
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(onTimeout, Math.min(maxWaitMs, MAX_TIMER_MS));
  try {
    const { signal } = controller;
    for (;;) {
      const outcome = await poll(client, requestId, { ...options, signal });
      if ('answer' in outcome) return outcome.answer;
      // Timers stand still while a computer sleeps; the clock does not.
      const remainingMs = endsAt - Date.now();
      if (remainingMs <= 0) onTimeout();
      const pauseMs = Math.max(DEFAULT_POLL_MS, outcome.retryAfterMs ?? 0);
      await sleep(Math.min(pauseMs, remainingMs), signal);
      // Which of two timers of the same length ends first is not certain.
      if (pauseMs >= remainingMs) onTimeout();
    }
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
  }
}

type Polled = { readonly answer: RoleAnswer } | { readonly retryAfterMs: number | undefined };

async function poll(client: Client, requestId: string, options: RequestOptions): Promise<Polled> {
  try {
    const { status, headers, data } = await requestAnswer(
      client,
      'GET /access-control/check-roles/responses/{requestId}',
      { ...options, path: { requestId } },
    );
    if (status === 202) return { retryAfterMs: parseRetryAfter(headers.get('retry-after')) };
    return { answer: toRoles(data) };
  } catch (error) {
    // What answers in another way than Gatehouse will go on to do so: the base URL is wrong, or a login page stands before it.
    if (error instanceof ConnectionError && error.status === undefined) return { retryAfterMs: undefined };
    if (error instanceof GatehouseError && UNAVAILABLE.includes(error.status)) return error;
    throw error;
  }
}

/** @throws ConnectionError for JSON that is no answer to a check */
export function toRoles(data: unknown): RoleAnswer {
  const { roles } = (data ?? {}) as Partial<RoleAnswer>;
  if (!Array.isArray(roles))
    throw new ConnectionError('The answer to the check has no roles.', { status: 200 });
  return data as RoleAnswer;
}

export type RoleVerdict = 'granted' | 'denied' | 'undetermined';

/**
 * Reads one role of an answer. A role that is not granted and whose rules could not all be read is undetermined: take nothing
 * away for it.
 */
export function readRole(answer: Schemas['TokenGatingResponse'], roleId: string): RoleVerdict {
  const role = answer.roles?.find(({ id }) => id === roleId);
  if (role?.granted) return 'granted';
  const isUnread = answer.errors?.some((error) => error.roleId === roleId) ?? false;
  return role === undefined || isUnread ? 'undetermined' : 'denied';
}
