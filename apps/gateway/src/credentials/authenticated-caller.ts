import { ANONYMOUS_PRINCIPAL, type Principal } from '@app/auth';
import type { ClientPlan, Scope } from '@app/dto';
import { getEffectiveScopes, getEthereumCredentialScopes } from './effective-scopes.js';
import type { VerifiedToken } from './verified-token-cache.js';

/** The caller that all credentials of a request together identify. */
export interface AuthenticatedCaller {
  /** The client application of the API key or the token. Requests count towards its tenant. */
  readonly client?: ClientPlan;
  readonly principal: Principal;
  /** The token in `Authorization`. */
  readonly token?: VerifiedToken;
}

export const ANONYMOUS_CALLER: AuthenticatedCaller = Object.freeze({ principal: ANONYMOUS_PRINCIPAL });

/** Callers by client application, without a token and with each token, so that scopes are not computed per request. */
const callerCache = new WeakMap<
  ClientPlan,
  { withoutToken?: AuthenticatedCaller; byToken: WeakMap<VerifiedToken, AuthenticatedCaller> }
>();

export function toAuthenticatedCaller(client: ClientPlan, token?: VerifiedToken): AuthenticatedCaller {
  let cached = callerCache.get(client);
  if (!cached) callerCache.set(client, (cached = { byToken: new WeakMap() }));
  if (!token) return (cached.withoutToken ??= createCaller(client));
  let caller = cached.byToken.get(token);
  if (!caller) cached.byToken.set(token, (caller = createCaller(client, token)));
  return caller;
}

function createCaller(client: ClientPlan, token?: VerifiedToken): AuthenticatedCaller {
  const { clientId, ownerId, plan } = client;
  return {
    client,
    ...(token ? { token } : {}),
    principal: {
      kind: 'caller',
      client: { id: clientId, ownerId, plan },
      user: token?.user,
      scopes: getCallerScopes(client, token),
    },
  };
}

function getCallerScopes({ scopes }: ClientPlan, token?: VerifiedToken): Scope[] {
  return token?.credentialExpiresAtMs === undefined
    ? getEffectiveScopes(scopes, token?.scopes)
    : getEthereumCredentialScopes(scopes, token.scopes);
}
