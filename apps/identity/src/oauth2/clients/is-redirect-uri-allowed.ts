import { isPrivateUseUri, parseRedirectUri, type RedirectUri } from '../../applications/redirect-uri.js';

const PLAIN_SEGMENT = String.raw`[\w-]+(?:\.[\w-]+)*`;

/**
 * Segments that every server reads as their letters. Some servers drop path parameters (`..;x`), empty segments and final
 * dots, or decode once more.
 */
const PLAIN_PATH = new RegExp(`^(?:${PLAIN_SEGMENT}/)*(?:${PLAIN_SEGMENT})?$`);

/**
 * contract.md section 4: a redirect URI must equal a registered one byte for byte, except on loopback. A registered loopback
 * URI allows `localhost`, `127.0.0.1` and `[::1]`, any port, and its own path or a plain one below it (RFC 8252 section 7.3).
 * Compares text by grammar, because URL parsers disagree about malformed URIs.
 */
export function isRedirectUriAllowed(requested: string, registered: readonly string[]): boolean {
  if (isPrivateUseUri(requested)) return registered.includes(requested);
  const parsed = parseRedirectUri(requested);
  if (!parsed) return false;
  return registered.some((text) => text === requested || isLoopbackMatch(parsed, parseRedirectUri(text)));
}

function isLoopbackMatch(requested: RedirectUri, registered: RedirectUri | undefined): boolean {
  if (!registered?.isLoopback || !requested.isLoopback) return false;
  if (requested.scheme !== registered.scheme || requested.query !== registered.query) return false;
  const [path, base] = [requested.path || '/', registered.path || '/'];
  const folder = base.endsWith('/') ? base : `${base}/`;
  return path === base || (path.startsWith(folder) && PLAIN_PATH.test(path.slice(folder.length)));
}
