import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { SignInRequiredError } from './page-session.errors.js';
import type { SessionUser } from '../../browser-sessions/browser-session-store.js';
import type { PageSession } from './page-session.js';

const getPageSession = (context: ExecutionContext): PageSession => {
  const { visit } = context.switchToHttp().getRequest<Request>();
  if (!visit) throw new Error('VisitGuard has not run');
  return visit;
};

/** `@Visited() visit: Visit`: the browser that asks, whether anybody is signed in or not. */
export const CurrentSession = createParamDecorator((_: unknown, context: ExecutionContext) =>
  getPageSession(context),
);

/** A visit by somebody who is signed in. */
export type SignedInSession = PageSession & { user: SessionUser };

/** `@SignedInVisit() member: Member`: who is not signed in is sent to do so, and comes back. */
export const CurrentSignedInSession = createParamDecorator(
  (_: unknown, context: ExecutionContext): SignedInSession => {
    const { user, ...visit } = getPageSession(context);
    if (!user) throw new SignInRequiredError(context.switchToHttp().getRequest<Request>().path);
    return { ...visit, user };
  },
);
