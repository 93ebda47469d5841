import { forbidden } from '@app/common';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ANONYMOUS_PRINCIPAL, type Principal } from '@app/auth';
import { type Requester, toRequester } from '../subjects/requester.js';
import type { CheckReader } from '../checks/async/checks.queries.js';
import { idempotencyKeyInvalid } from '../checks/async/async-check.errors.js';

const clientRequired = () => forbidden('client_required', 'A client application is needed here.');

export type RequestingClient = NonNullable<Extract<Principal, { kind: 'caller' }>['client']>;

function getClient(context: ExecutionContext): RequestingClient {
  const { principal } = context.switchToHttp().getRequest<Request>();
  const client = principal?.kind === 'caller' ? principal.client : undefined;
  if (!client) throw clientRequired();
  return client;
}

/** The client application of the request. The gateway requires one too; this check is a second line of defence. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  getClient(context),
);

/** The reader of a stored result. */
export const CurrentCheckReader = createParamDecorator(
  (_: unknown, context: ExecutionContext): CheckReader => {
    const { principal } = context.switchToHttp().getRequest<Request>();
    const userId = principal?.kind === 'caller' ? principal.user?.id : undefined;
    return { clientId: getClient(context).id, userId };
  },
);

/** The user or client application of the request. The gateway requires one too. */
export const CurrentRequester = createParamDecorator((_: unknown, context: ExecutionContext): Requester => {
  const requester = toRequester(
    context.switchToHttp().getRequest<Request>().principal ?? ANONYMOUS_PRINCIPAL,
  );
  if (!requester) throw clientRequired();
  return requester;
});

const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/**
 * The `Idempotency-Key` header. `@Headers()` would add a parameter to the OpenAPI document and change the signature of
 * generated clients, which call operations by position.
 */
export const IdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | undefined => {
    const key = context.switchToHttp().getRequest<Request>().headers['idempotency-key'];
    if (key === undefined) return undefined;
    if (typeof key !== 'string' || !KEY_PATTERN.test(key)) throw idempotencyKeyInvalid();
    return key;
  },
);

/**
 * Whether the request has `Prefer: handling=lenient`. `@Headers()` would add a parameter to the OpenAPI document and change
 * the signature of generated clients, which call operations by position.
 */
export const LenientHandling = createParamDecorator((_: unknown, context: ExecutionContext): boolean => {
  const { prefer } = context.switchToHttp().getRequest<Request>().headers;
  return prefer !== undefined && parsePreferHeader(prefer).get('handling') === 'lenient';
});

/**
 * Parses a `Prefer` header (RFC 7240) into values by lower-case name. The first occurrence of a name wins; parameters are
 * ignored. Node joins repeated headers with commas.
 */
export function parsePreferHeader(header: string | string[]): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  for (const preference of [header].flat().join(',').split(',')) {
    const [first = ''] = preference.split(';');
    const [name = '', value = ''] = first.split('=').map((part) => part.trim());
    const key = name.toLowerCase();
    if (key !== '' && !preferences.has(key))
      preferences.set(key, value.replace(/^"(.*)"$/, '$1').toLowerCase());
  }
  return preferences;
}
