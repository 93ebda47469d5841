import type { IncomingMessage } from 'node:http';
import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { parseRedirectUri } from '../../applications/redirect-uri.js';
import { IMPLICIT_RESPONSE_MODE } from './register-implicit-flow.js';

const { base, Check } = interactionPolicy;

/**
 * Anything on the user's machine can listen on a port and call itself this application, when it needs no secret to prove that
 * it is: it has none, or it gets its token without one (RFC 8252 section 8.6). The user is asked every time.
 */
const isUnverifiableClient = ({ oidc: { client, params, result } }: KoaContextWithOIDC): boolean =>
  (client?.tokenEndpointAuthMethod === 'none' || params?.response_mode === IMPLICIT_RESPONSE_MODE) &&
  parseRedirectUri(String(params?.redirect_uri))?.isLoopback === true &&
  result?.consent === undefined;

/** Who is signed in to our pages in the browser that asks. */
export type FindBrowserUser = (request: IncomingMessage) => Promise<string | undefined>;

/**
 * oidc-provider's session may name whoever was signed in before: the browser's own session alone says who is. Of a session
 * that names nobody oidc-provider says by itself that somebody has to sign in.
 */
async function isOtherUser(
  { oidc: { session }, req }: KoaContextWithOIDC,
  userOf: FindBrowserUser,
): Promise<boolean> {
  const accountId = session?.accountId;
  return accountId !== undefined && (await userOf(req)) !== accountId;
}

/** When a user has to sign in, and when to say yes. */
export function createInteractionPolicy(userOf: FindBrowserUser): interactionPolicy.DefaultPolicy {
  const prompts = base();
  prompts
    .get('login')
    ?.checks.add(
      new Check('other_user', 'the user of this browser is another one', 'login_required', async (context) =>
        (await isOtherUser(context, userOf)) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    );
  prompts
    .get('consent')
    ?.checks.add(
      new Check(
        'unproven_client',
        'the client application cannot prove itself',
        'consent_required',
        (context) => (isUnverifiableClient(context) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT),
      ),
    );
  return prompts;
}

/** Where the browser goes to sign in or to say yes. */
export const toInteractionPath = (uid: string, prompt: string): string =>
  prompt === 'login' ? `/login/${uid}` : `/consent/${uid}`;
