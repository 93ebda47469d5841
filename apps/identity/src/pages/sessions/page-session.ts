import type {} from 'express-serve-static-core';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';

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
  /** Absent in an anonymous session. */
  user?: PageUser;
}

declare module 'express-serve-static-core' {
  interface Request {
    pageSession?: PageSession;
  }
}
