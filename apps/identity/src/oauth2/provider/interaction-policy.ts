import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { parseRedirectUri } from '../../clients/redirect-uri.js';
import { IMPLICIT_MODE } from './implicit-flow.js';

const { base, Check } = interactionPolicy;

/**
 * Anything on the user's machine can listen on a port and call itself this application, when it needs no secret to prove that
 * it is: it has none, or it gets its token without one (RFC 8252 section 8.6). The user is asked every time.
 */
const isAnybody = ({ oidc: { client, params, result } }: KoaContextWithOIDC): boolean =>
  (client?.tokenEndpointAuthMethod === 'none' || params?.response_mode === IMPLICIT_MODE) &&
  parseRedirectUri(String(params?.redirect_uri))?.isLoopback === true &&
  result?.consent === undefined;

/** When a user has to sign in, and when to say yes. */
export function policy(): interactionPolicy.DefaultPolicy {
  const prompts = base();
  prompts
    .get('consent')
    ?.checks.add(
      new Check(
        'unproven_client',
        'the client application cannot prove itself',
        'consent_required',
        (context) => (isAnybody(context) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT),
      ),
    );
  return prompts;
}

/** Where the browser goes to sign in or to say yes. */
export const interactionPath = (uid: string, prompt: string): string =>
  prompt === 'login' ? `/login/${uid}` : `/consent/${uid}`;
