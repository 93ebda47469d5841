import { ANONYMOUS_PRINCIPAL, type Principal } from '@app/auth';
import type { ClientPlan, Scope } from '@app/dto';
import type { VerifiedToken } from './verified-token-cache.js';
import { getEthereumCredentialScopes, getEffectiveScopes } from './effective-scopes.js';

/** Who is asking, all credentials taken together. */
export interface AuthenticatedCaller {
  /** The client application that a key or a token named: requests count on its plan holder. */
  readonly client?: ClientPlan;
  readonly principal: Principal;
  /** What `Authorization` carried, if anything. */
  readonly token?: VerifiedToken;
}

export const ANONYMOUS_CALLER: AuthenticatedCaller = Object.freeze({ principal: ANONYMOUS_PRINCIPAL });

/** What a client application may do by itself or with a token; made once for as long as both stay what they are. */
const callerCache = new WeakMap<
  ClientPlan,
  { alone?: AuthenticatedCaller; with: WeakMap<VerifiedToken, AuthenticatedCaller> }
>();

export function toAuthenticatedCaller(client: ClientPlan, token?: VerifiedToken): AuthenticatedCaller {
  let known = callerCache.get(client);
  if (!known) callerCache.set(client, (known = { with: new WeakMap() }));
  if (!token) return (known.alone ??= createCaller(client));
  let caller = known.with.get(token);
  if (!caller) known.with.set(token, (caller = createCaller(client, token)));
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
  return token?.credentialEndsAtMs === undefined
    ? getEffectiveScopes(scopes, token?.scopes)
    : getEthereumCredentialScopes(scopes, token.scopes);
}
