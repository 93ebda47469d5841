import type {} from 'express-serve-static-core';
import type { SessionUser } from '../../browser-sessions/browser-session-store.js';

/** What is known of the browser that asks for a page. */
export interface PageSession {
  /** What its cookie holds. */
  sessionId: string;
  /** Stands in every form of this session. */
  csrf: string;
  /** Absent for a browser in which nobody is signed in. */
  user?: SessionUser;
}

declare module 'express-serve-static-core' {
  interface Request {
    visit?: PageSession;
  }
}
