import { ANONYMOUS, type Principal } from '@app/auth';
import type { ClientPlan, Scope } from '@app/dto';
import type { VerifiedToken } from '../credentials/verified-tokens.js';
import { credentialScopes, effectiveScopes } from './effective-scopes.js';

/** Who is asking, all credentials taken together. */
export interface Caller {
  /** The client application that a key or a token named: requests count on its plan holder. */
  readonly client?: ClientPlan;
  readonly principal: Principal;
  /** What `Authorization` carried, if anything. */
  readonly token?: VerifiedToken;
}

export const NOBODY: Caller = Object.freeze({ principal: ANONYMOUS });

/** What a client application may do by itself or with a token; made once for as long as both stay what they are. */
const callers = new WeakMap<ClientPlan, { alone?: Caller; with: WeakMap<VerifiedToken, Caller> }>();

export function callerOf(client: ClientPlan, token?: VerifiedToken): Caller {
  let known = callers.get(client);
  if (!known) callers.set(client, (known = { with: new WeakMap() }));
  if (!token) return (known.alone ??= makeCaller(client));
  let caller = known.with.get(token);
  if (!caller) known.with.set(token, (caller = makeCaller(client, token)));
  return caller;
}

function makeCaller(client: ClientPlan, token?: VerifiedToken): Caller {
  const { clientId, ownerId, plan } = client;
  return {
    client,
    ...(token ? { token } : {}),
    principal: {
      kind: 'caller',
      client: { id: clientId, ownerId, plan },
      user: token?.user,
      scopes: scopesOf(client, token),
    },
  };
}

function scopesOf({ scopes }: ClientPlan, token?: VerifiedToken): Scope[] {
  return token?.credentialEndsAtMs === undefined
    ? effectiveScopes(scopes, token?.scopes)
    : credentialScopes(scopes, token.scopes);
}
