/** The page of people who are signed in and asked for no other one: what most of them do needs no code. */
export const HOME_PATH = '/portal/communities';

/** The page of developers, with their applications. */
export const APPLICATIONS_PATH = '/portal';

export const LOGOUT_PATH = '/logout';

/** The value of `Clear-Site-Data` with which a browser forgets the pages and the forms of a session. */
export const CLEARED_BY_LOGOUT = '"cache", "storage"';

/** The page after a logout. */
export const SIGNED_OUT_PATH = '/login/signed-out';

/** What a page shows stands in its query, such as the draft of a rule or the text of a search. */
const QUERY = String.raw`(?:\?[\w.~%=&+:*!(),;@/?-]{0,8000})?`;

/** The pages to which a login may return; the deepest have five parts below the portal. */
const RETURN_PATH = new RegExp(String.raw`^/(?:portal|consent)(?:/[A-Za-z0-9_-]{1,64}){0,5}${QUERY}$`);

export const isReturnPath = (path: string): boolean => RETURN_PATH.test(path);

/** The page on which users judge passkeys that were added since their last login with the wallet. */
export const PASSKEY_REVIEW_PATH = '/portal/new-passkeys';

/** The login page of an authorization request, which resumes the request. */
const REQUEST_PATH = /^\/login\/[A-Za-z0-9_-]{1,64}$/;

/** The pages to which the review of passkeys may return. */
export const isReviewReturnPath = (path: string): boolean => isReturnPath(path) || REQUEST_PATH.test(path);

/** The address of a page within this site, without a query that is too long or odd. */
export const toPagePath = (url: string): string => (isReturnPath(url) ? url : (url.split('?')[0] ?? ''));

/** The path of the login page. @param url the page to return to @param again requires a new login of a signed-in user, with a wallet */
export function toLoginPath(url: string, again = false): string {
  const to = toPagePath(url);
  const query = new URLSearchParams({ ...(isReturnPath(to) && { to }), ...(again && { again: 'yes' }) });
  return query.size === 0 ? '/login' : `/login?${query.toString()}`;
}
