import type { Client } from './client.js';
import type { components } from './openapi.js';
import { type RequestOptions, requestAnswer, send } from './request.js';
import { parseRetryAfter, sleep } from './retry.js';

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
  return (await send<RoleAnswer>(client, 'POST /access-control/check-roles', parts)).data;
}

/** Checks published rules by their names. With a publishable id it may be called by a page. */
export async function checkPublishedRules(
  client: Client,
  check: Schemas['PublishedRulesCheck'],
  options: RequestOptions = {},
): Promise<RoleAnswer> {
  const parts = { ...options, body: check, isRepeatable: true };
  return (await send<RoleAnswer>(client, 'POST /access-control/check-published-rules', parts)).data;
}

/**
 * Asks for a check whose result is polled with `waitForRoles`, or called back.
 * @returns the id of the request
 */
export async function checkRolesAsync(
  client: Client,
  check: RoleCheck & Pick<Schemas['TokenGatingRequest'], 'callbackUrl' | 'explain'>,
  options: RequestOptions = {},
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
 * Polls the result of an asynchronous check as often as `Retry-After` says.
 * @throws DOMException `TimeoutError` when it is not there in time
 */
export async function waitForRoles(
  client: Client,
  requestId: string,
  { maxWaitMs = DEFAULT_MAX_WAIT_MS, ...options }: WaitOptions = {},
): Promise<RoleAnswer> {
  const deadline = AbortSignal.timeout(maxWaitMs);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  for (;;) {
    const { status, headers, data } = await requestAnswer(
      client,
      'GET /access-control/check-roles/responses/{requestId}',
      { ...options, signal, path: { requestId } },
    );
    if (status !== 202) return data as RoleAnswer;
    await sleep(Math.max(DEFAULT_POLL_MS, parseRetryAfter(headers.get('retry-after')) ?? 0), signal);
  }
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
