import { isWalletLogin } from '@app/auth';
import { unauthorized } from '@app/common';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type {} from 'express-serve-static-core';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';
import type { SessionNotice } from '../../browser-sessions/session-notice.js';
import { SignInRequiredError } from './page-session.errors.js';

export interface PageUser extends SessionUser {
  /** The user's name, else the username, else the ENS name; undefined for a user who has none of them. */
  shownName: string | undefined;
}

/** The browser session of a page request. */
export interface PageSession {
  /** The value of the session cookie. */
  sessionId: string;
  /** The CSRF token for every form of this session. */
  csrf: string;
  /** What this page says about the form that led to it. */
  notice?: SessionNotice | undefined;
  /** Absent in an anonymous session. */
  user?: PageUser;
}

declare module 'express-serve-static-core' {
  interface Request {
    pageSession?: PageSession;
  }
}

const getPageSession = (context: ExecutionContext): PageSession => {
  const { pageSession } = context.switchToHttp().getRequest<Request>();
  if (!pageSession) throw new Error('PageSessionGuard has not run');
  return pageSession;
};

/** `@CurrentSession() session: PageSession`: the session of the browser, signed in or anonymous. */
export const CurrentSession = createParamDecorator((_: unknown, context: ExecutionContext) =>
  getPageSession(context),
);

/** The session of a signed-in user. */
export type SignedInSession = PageSession & { user: PageUser };

function requireSignedIn(context: ExecutionContext): SignedInSession {
  const { user, ...session } = getPageSession(context);
  if (!user) throw new SignInRequiredError(context.switchToHttp().getRequest<Request>().originalUrl);
  return { ...session, user };
}

const signInRequired = () =>
  unauthorized('user_required', 'Your session has expired. Reload the page and sign in again.');

/** The session of a signed-in user, for a script, which cannot follow a redirect to the login page. @throws AppError 401 */
export function requireScriptUser({ user, ...session }: PageSession): SignedInSession {
  if (!user) throw signInRequired();
  return { ...session, user };
}

/** `@CurrentSignedInSession() session: SignedInSession`: redirects anonymous users to the login page and back. */
export const CurrentSignedInSession = createParamDecorator((_: unknown, context: ExecutionContext) =>
  requireSignedIn(context),
);

/** The session of `@CurrentSignedInSession()`, which also asks users who signed in with a passkey to sign in with their wallet. */
export const CurrentWalletSession = createParamDecorator(
  (_: unknown, context: ExecutionContext): SignedInSession => {
    const session = requireSignedIn(context);
    if (!isWalletLogin(session.user.amr))
      throw new SignInRequiredError(context.switchToHttp().getRequest<Request>().originalUrl, true);
    return session;
  },
);
