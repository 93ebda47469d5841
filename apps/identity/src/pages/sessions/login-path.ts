/** Where somebody goes who wanted nothing else. */
export const HOME_PATH = '/portal';

/** Where a browser may be sent after its login, besides to the application that asked: to one of these pages. */
const RETURN_PATH = /^\/(?:portal|consent)(?:\/[A-Za-z0-9_-]{1,64}){0,4}$/;

export const isReturnPath = (path: string): boolean => RETURN_PATH.test(path);

/** The login page, and from there to a page of ours. @param again also somebody who is signed in has to sign in */
export function toLoginPath(to: string, again = false): string {
  const query = new URLSearchParams({ ...(isReturnPath(to) && { to }), ...(again && { again: 'yes' }) });
  return query.size === 0 ? '/login' : `/login?${query.toString()}`;
}
