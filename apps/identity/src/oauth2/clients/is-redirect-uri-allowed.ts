import { parseRedirectUri, type RedirectUri } from '../../applications/redirect-uri.js';

/**
 * The rule of contract.md section 4: byte for byte what was registered, except on the user's own machine. There a
 * registered URI admits `localhost`, `127.0.0.1` and `[::1]`, any port, and its own path or one below it. Compared as
 * text by grammar: a URL parser's opinion of what somebody wrote is one more way to be deceived.
 */
export function isRedirectUriAllowed(requested: string, registered: readonly string[]): boolean {
  const wanted = parseRedirectUri(requested);
  if (!wanted) return false;
  return registered.some((text) => text === requested || isLoopbackMatch(wanted, parseRedirectUri(text)));
}

function isLoopbackMatch(wanted: RedirectUri, registered: RedirectUri | undefined): boolean {
  if (!registered?.isLoopback || !wanted.isLoopback) return false;
  if (wanted.scheme !== registered.scheme || wanted.query !== registered.query) return false;
  const [path, base] = [wanted.path || '/', registered.path || '/'];
  return path === base || path.startsWith(base.endsWith('/') ? base : `${base}/`);
}
