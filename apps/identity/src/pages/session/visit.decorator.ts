import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { SignInNeeded } from './sign-in-needed.js';
import type { SignedIn } from '../../browser-sessions/signed-in.js';
import type { Visit } from './visit.js';

const visitOf = (context: ExecutionContext): Visit => {
  const { visit } = context.switchToHttp().getRequest<Request>();
  if (!visit) throw new Error('VisitGuard has not run');
  return visit;
};

/** `@Visited() visit: Visit`: the browser that asks, whether anybody is signed in or not. */
export const Visited = createParamDecorator((_: unknown, context: ExecutionContext) => visitOf(context));

/** A visit by somebody who is signed in. */
export type Member = Visit & { user: SignedIn };

/** `@SignedInVisit() member: Member`: who is not signed in is sent to do so, and comes back. */
export const SignedInVisit = createParamDecorator((_: unknown, context: ExecutionContext): Member => {
  const { user, ...visit } = visitOf(context);
  if (!user) throw new SignInNeeded(context.switchToHttp().getRequest<Request>().path);
  return { ...visit, user };
});
