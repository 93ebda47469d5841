import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ANONYMOUS_PRINCIPAL, type Principal } from '@app/auth';
import { clientRequired, getHeader, getRequestingClient, parsePreferHeader } from '@app/service';
import { type Requester, toRequester } from '../subjects/user-addresses.service.js';
import type { CheckReader } from '../checks/async/checks.queries.js';

/** The reader of a stored result. */
export const CurrentCheckReader = createParamDecorator(
  (_: unknown, context: ExecutionContext): CheckReader => {
    const request = context.switchToHttp().getRequest<Request>();
    const userId = request.principal?.kind === 'caller' ? request.principal.user?.id : undefined;
    return { clientId: getRequestingClient(request).id, userId };
  },
);

export function getRequester({ principal = ANONYMOUS_PRINCIPAL }: Pick<Request, 'principal'>): Requester {
  const requester = toRequester(principal);
  if (!requester) throw clientRequired();
  return requester;
}

/** The user or client application of the request. The gateway requires one too. */
export const CurrentRequester = createParamDecorator((_: unknown, context: ExecutionContext) =>
  getRequester(context.switchToHttp().getRequest<Request>()),
);

/** What a request prefers of the answer (`Prefer`). */
export interface Preferences {
  /** Whether transient failures are errors beside the roles: `handling=lenient`. */
  readonly lenient: boolean;
  /** Whether each rule is explained: `explain`. */
  readonly explain: boolean;
}

const NO_PREFERENCES: Preferences = Object.freeze({ lenient: false, explain: false });

export function getPreferences(request: Request): Preferences {
  const prefer = getHeader(request, 'prefer');
  if (prefer === undefined) return NO_PREFERENCES;
  const preferences = parsePreferHeader(prefer);
  return {
    lenient: preferences.get('handling') === 'lenient',
    explain: ['', 'true'].includes(preferences.get('explain') ?? 'false'),
  };
}

/** The preferences of the request. */
export const CurrentPreferences = createParamDecorator((_: unknown, context: ExecutionContext) =>
  getPreferences(context.switchToHttp().getRequest<Request>()),
);

/** Whether the request has `Prefer: handling=lenient`. */
export const LenientHandling = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    getPreferences(context.switchToHttp().getRequest<Request>()).lenient,
);

/** `Cache-Control` of explained answers, which are the caller's alone. */
export const CALLER_ALONE = 'private, no-store';

/** Names the preferences that an answer follows. Explained answers are the caller's alone, and are kept nowhere. */
export function announcePreferences(response: ServerResponse, { lenient, explain }: Preferences): void {
  const applied = [...(lenient ? ['handling=lenient'] : []), ...(explain ? ['explain'] : [])];
  if (applied.length === 0) return;
  response.setHeader('Preference-Applied', applied.join(', '));
  if (!explain) return;
  response.setHeader('Vary', 'Prefer');
  response.setHeader('Cache-Control', CALLER_ALONE);
}

/**
 * Whether the caller may see the wallets of a user for whom they may make a check. A user needs the scope, because an application that
 * has a token without it must not learn by a check what the user did not show it. An application without a user has it by the user's grant, without which identity
 * does not know the user's id.
 */
export const maySeeUserWallets = (principal: Principal): boolean =>
  principal.kind === 'caller' &&
  (principal.user === undefined || principal.scopes.includes('user:wallet:read'));
