import type {} from 'express-serve-static-core';

/** Who is signed in, and since when. */
export interface SignedIn {
  userId: string;
  /** The wallet, CAIP-10. */
  account: string;
  signedInAt: Date;
  /** The authorization request that asked for the login; null when none did. */
  signedInFor: string | null;
}

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
