import type {} from 'express-serve-static-core';
import type { SignedIn } from '../../browser-sessions/signed-in.js';

/** What is known of the browser that asks for a page. */
export interface Visit {
  /** What its cookie holds. */
  sessionId: string;
  /** Stands in every form of this session. */
  csrf: string;
  /** Absent for a browser in which nobody is signed in. */
  user?: SignedIn;
}

declare module 'express-serve-static-core' {
  interface Request {
    visit?: Visit;
  }
}
