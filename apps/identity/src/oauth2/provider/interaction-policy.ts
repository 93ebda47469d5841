import type { IncomingMessage } from 'node:http';
import { isWalletLogin } from '@app/auth';
import { interactionPolicy, type KoaContextWithOIDC, type Grant } from 'oidc-provider';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';
import { isPrivateUseUri, parseRedirectUri } from '../../applications/redirect-uri.js';
import { IMPLICIT_RESPONSE_MODE } from './register-grants.js';
import type { ConsentService } from '../storage/consent.service.js';
import type { ConsentDecision } from '../storage/oauth-models.queries.js';

const { base, Check } = interactionPolicy;

/**
 * Whether any program on the user's machine could impersonate the client: it has a loopback or private-use redirect URI and
 * needs no secret to receive a token (RFC 8252 section 8.6). Such a client needs the user's consent every time.
 */
const isUnverifiableClient = ({ oidc: { client, params, result } }: KoaContextWithOIDC): boolean =>
  (client?.tokenEndpointAuthMethod === 'none' || params?.response_mode === IMPLICIT_RESPONSE_MODE) &&
  isUnclaimedUri(String(params?.redirect_uri)) &&
  result?.consent === undefined;

const isUnclaimedUri = (redirectUri: string): boolean =>
  isPrivateUseUri(redirectUri) || parseRedirectUri(redirectUri)?.isLoopback === true;

/** Finds the user who is signed in to the pages in the requesting browser. */
export type FindBrowserUser = (request: IncomingMessage) => Promise<SessionUser | undefined>;

/**
 * Whether oidc-provider's session belongs to another user than the browser session, which is authoritative, or to a login of the
 * same user by other means: a login with a passkey must not revive an earlier login with a wallet. oidc-provider itself
 * requires a login for a session without an account.
 */
async function isOtherLogin(
  { oidc: { session }, req }: KoaContextWithOIDC,
  findBrowserUser: FindBrowserUser,
): Promise<boolean> {
  if (session?.accountId === undefined) return false;
  const user = await findBrowserUser(req);
  return user?.userId !== session.accountId || isWalletLogin(user.amr) !== isWalletLogin(session.amr);
}

/** Decides when a user must log in or give consent. */
export function createInteractionPolicy(findBrowserUser: FindBrowserUser): interactionPolicy.DefaultPolicy {
  const prompts = base();
  prompts
    .get('login')
    ?.checks.add(
      new Check('other_user', 'the user of this browser is another one', 'login_required', async (context) =>
        (await isOtherLogin(context, findBrowserUser)) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
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

/** The path of the login or consent page for an authorization request. */
export const toInteractionPath = (uid: string, prompt: string): string =>
  prompt === 'login' ? `/login/${uid}` : `/consent/${uid}`;

/**
 * Finds the grant of this interaction, of this session, or of an earlier session. A grant of an earlier session is copied,
 * so that replaying a code revokes the tokens of its own session only. The copy has the original's expiry.
 */
export async function loadExistingGrant(
  { oidc }: KoaContextWithOIDC,
  consents: ConsentService,
): Promise<Grant | undefined> {
  const { client, session, provider, result, account } = oidc;
  if (!client || !session || !account) return undefined;
  const newGrantId = result?.consent?.grantId;
  const grantId = newGrantId ?? session.grantIdFor(client.clientId);
  const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const requested = oidc.requestParamOIDCScopes;
  // A grant with all scopes is up to date, because a later refusal would have revoked it.
  if (grant && (newGrantId !== undefined || isGrantCovering(grant, requested))) return grant;
  const key = { userId: account.accountId, clientId: client.clientId };
  const latest = await consents.findLatest(key, requested);
  if (!latest || (grant && isGrantUpToDate(grant, latest, requested))) return grant;
  const copyId = await consents.copy(key, requested);
  return copyId === undefined ? grant : provider.Grant.find(copyId);
}

const isGrantCovering = (grant: Grant, scopes: ReadonlySet<string>): boolean => {
  const granted = grant.getOIDCScope().split(' ');
  return [...scopes].every((scope) => granted.includes(scope));
};

/** Whether the grant contains the latest decision on each of these scopes. */
const isGrantUpToDate = (
  grant: Grant,
  { granted }: ConsentDecision,
  scopes: ReadonlySet<string>,
): boolean => {
  const [allowed, refused] = [grant.getOIDCScope(), grant.getRejectedOIDCScope()].map((text) =>
    text.split(' '),
  );
  return [...scopes].every((scope) => (granted.includes(scope) ? allowed : refused)?.includes(scope));
};
