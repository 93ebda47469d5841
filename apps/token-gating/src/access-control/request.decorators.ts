import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ANONYMOUS_PRINCIPAL } from '@app/auth';
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

export function prefersLenientHandling(request: Request): boolean {
  const prefer = getHeader(request, 'prefer');
  return prefer !== undefined && parsePreferHeader(prefer).get('handling') === 'lenient';
}

/** Whether the request has `Prefer: handling=lenient`. */
export const LenientHandling = createParamDecorator((_: unknown, context: ExecutionContext) =>
  prefersLenientHandling(context.switchToHttp().getRequest<Request>()),
);
