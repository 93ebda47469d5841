/** The default page after a login. */
export const HOME_PATH = '/portal';

/** The pages to which a login may return. */
const RETURN_PATH = /^\/(?:portal|consent)(?:\/[A-Za-z0-9_-]{1,64}){0,4}$/;

export const isReturnPath = (path: string): boolean => RETURN_PATH.test(path);

/** The path of the login page. @param to the page to return to @param again requires a new login of a signed-in user, with a wallet */
export function toLoginPath(to: string, again = false): string {
  const query = new URLSearchParams({ ...(isReturnPath(to) && { to }), ...(again && { again: 'yes' }) });
  return query.size === 0 ? '/login' : `/login?${query.toString()}`;
}
