import { ANONYMOUS_PRINCIPAL, type Principal } from '@app/auth';
import type { ClientCredential, ClientPlan, Scope } from '@app/dto';
import { getEffectiveScopes, getEthereumCredentialScopes } from './effective-scopes.js';
import type { VerifiedToken } from './verified-token-cache.js';

/** The caller that all credentials of a request together identify. */
export interface AuthenticatedCaller {
  /** The client application of the API key or the token. Requests count towards its tenant. */
  readonly client?: ClientPlan;
  readonly principal: Principal;
  /** The token in `Authorization`. */
  readonly token?: VerifiedToken;
  /** The origins that may use the publishable id of the request; absent for all other credentials. */
  readonly origins?: ReadonlySet<string>;
}

type AuthenticatedClient = ClientPlan & Pick<ClientCredential, 'origins'>;

export const ANONYMOUS_CALLER: AuthenticatedCaller = Object.freeze({ principal: ANONYMOUS_PRINCIPAL });

/** Callers by client application, without a token and with each token, so that scopes are not computed per request. */
const callerCache = new WeakMap<
  ClientPlan,
  { withoutToken?: AuthenticatedCaller; byToken: WeakMap<VerifiedToken, AuthenticatedCaller> }
>();

export function toAuthenticatedCaller(
  client: AuthenticatedClient,
  token?: VerifiedToken,
): AuthenticatedCaller {
  let cached = callerCache.get(client);
  if (!cached) callerCache.set(client, (cached = { byToken: new WeakMap() }));
  if (!token) return (cached.withoutToken ??= createCaller(client));
  let caller = cached.byToken.get(token);
  if (!caller) cached.byToken.set(token, (caller = createCaller(client, token)));
  return caller;
}

function createCaller(client: AuthenticatedClient, token?: VerifiedToken): AuthenticatedCaller {
  const { clientId, ownerId, plan, origins } = client;
  if (origins) return createPublishableCaller(client, origins);
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

/** Browsers get this part of the tenant's second and month, beside the whole that its keys have. */
const PUBLISHABLE_PART = 1 / 2;

const toPublishableLimit = (limit: number): number => Math.max(1, Math.floor(limit * PUBLISHABLE_PART));

/**
 * A browser with a publishable id. All such browsers of a tenant are counted as a tenant of their own: requests, requests in flight, memory
 * and reads of chains. So they use up nothing that the keys of the tenant have. A token beside the id gives no right.
 */
function createPublishableCaller(plan: ClientPlan, origins: readonly string[]): AuthenticatedCaller {
  const { perSecond, perMonth } = plan.limits;
  const limits = { perSecond: toPublishableLimit(perSecond), perMonth: toPublishableLimit(perMonth) };
  const client = { ...plan, ownerId: `publishable:${plan.ownerId}`, limits };
  return {
    client,
    origins: new Set(origins),
    principal: {
      kind: 'publishable',
      client: { id: client.clientId, ownerId: client.ownerId, plan: client.plan },
    },
  };
}
