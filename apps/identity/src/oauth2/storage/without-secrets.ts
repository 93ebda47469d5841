import type { AdapterPayload } from 'oidc-provider';

/**
 * What of a model is stored. Its id is what its holder shows, and so is the session's that an interaction remembers; the
 * place to go on at has the interaction's id in it.
 */
export function withoutSecrets({ jti: _jti, returnTo: _returnTo, session, ...rest }: AdapterPayload): object {
  if (session === undefined) return rest;
  const { cookie: _cookie, ...kept } = session;
  return { ...rest, session: kept };
}
