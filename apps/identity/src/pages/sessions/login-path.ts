import { z } from 'zod';

/** The page of people who are signed in and asked for no other one: what most of them do needs no code. */
export const HOME_PATH = '/portal/communities';

/** The page of the communities that the user has joined. */
export const MEMBERSHIPS_PATH = '/portal/memberships';

/** The page of developers, with their applications. */
export const APPLICATIONS_PATH = '/portal';

export const LOGOUT_PATH = '/logout';

/** The value of `Clear-Site-Data` with which a browser forgets the pages and the forms of a session. */
export const CLEARED_BY_LOGOUT = '"cache", "storage"';

/** The page after a logout. */
export const SIGNED_OUT_PATH = '/login/signed-out';

/** The page after a logout, from which a login leads back to where the user signed out. */
export const toSignedOutPath = (to: string | undefined): string =>
  to === undefined ? SIGNED_OUT_PATH : `${SIGNED_OUT_PATH}?${new URLSearchParams({ to }).toString()}`;

/** What a page shows stands in its query, such as the draft of a rule or the text of a search. */
const QUERY = String.raw`(?:\?[\w.~%=&+:*!(),;@/?-]{0,8000})?`;

/** The pages to which a login may return; the deepest have five parts below the portal. */
const RETURN_PATH = new RegExp(String.raw`^/(?:portal|consent)(?:/[A-Za-z0-9_-]{1,64}){0,5}${QUERY}$`);

export const isReturnPath = (path: string): boolean => RETURN_PATH.test(path);

/** A page to which a login may return, as a form or a query names it. Nothing is refused for another one. */
export const returnPath = z.string().refine(isReturnPath).optional().catch(undefined);

/** The page on which users judge passkeys that were added since their last login with the wallet. */
export const PASSKEY_REVIEW_PATH = '/portal/new-passkeys';

/** The login page of an authorization request, which resumes the request. */
const REQUEST_PATH = /^\/login\/[A-Za-z0-9_-]{1,64}$/;

/** The pages to which the review of passkeys may return. */
export const isReviewReturnPath = (path: string): boolean => isReturnPath(path) || REQUEST_PATH.test(path);

/** The address of a page within this site, without a query that is too long or odd. */
export const toPagePath = (url: string): string => (isReturnPath(url) ? url : (url.split('?')[0] ?? ''));

/** What the login page says or requires beside the login. */
interface LoginDemand {
  /** A signed-in user must sign in once more, with a wallet. */
  readonly again?: boolean;
  /** A form was sent after its session had ended. */
  readonly ended?: boolean;
}

/** The path of the login page. @param url the page to return to */
export function toLoginPath(url: string, { again, ended }: LoginDemand = {}): string {
  const to = toPagePath(url);
  const query = new URLSearchParams({
    ...(isReturnPath(to) && { to }),
    ...(again && { again: 'yes' }),
    ...(ended && { ended: 'yes' }),
  });
  return query.size === 0 ? '/login' : `/login?${query.toString()}`;
}
