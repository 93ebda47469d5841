import { getIronSession } from 'iron-session';
import { cookies } from 'next/headers';

const MAX_AGE_SECONDS = 8 * 3_600;

/** The visitor's session, encrypted in a cookie: `userId`, or what a sign-in needs until they are back. */
export const getSession = async () =>
  getIronSession(await cookies(), {
    cookieName: 'session',
    password: process.env.SESSION_SECRET,
    ttl: MAX_AGE_SECONDS,
    cookieOptions: { sameSite: 'lax', secure: process.env.APP_URL.startsWith('https:') },
  });
