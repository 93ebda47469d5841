import { getIronSession } from 'iron-session';
import { cookies } from 'next/headers';

const MAX_AGE_SECONDS = 8 * 3_600;

/** The visitor's session, encrypted in a cookie: `userId`, or what a sign-in needs until they are back. */
export const getSession = async () =>
  getIronSession(await cookies(), {
    // Applications on one host share its cookies, whatever their ports, so each needs a name of its own.
    cookieName: 'club_nextjs',
    password: process.env.SESSION_SECRET,
    ttl: MAX_AGE_SECONDS,
    cookieOptions: { sameSite: 'lax', secure: process.env.APP_URL.startsWith('https:') },
  });
