import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { isUserScope } from '../clients/scopes.js';
import { toFormBody } from './negotiate-content-type.js';

/** RFC 6749 section 4.4. The token has only scopes that were approved for the client and need no user. */
export function registerClientCredentialsGrant(provider: Provider): void {
  provider.registerGrantType(
    'client_credentials',
    async (context) => {
      const { client, params } = context.oidc;
      const approved = (client.scope ?? '').split(' ').filter((scope) => !isUserScope(scope));
      const requested = params.scope?.split(' ') ?? approved;
      const missing = requested.filter((scope) => !approved.includes(scope));
      if (missing.length > 0)
        throw new errors.InvalidScope('not approved for this client', missing.join(' '));
      const scope = [...new Set(requested)].join(' ');
      const token = new provider.ClientCredentials({ client, scope });
      const text = await token.save();
      context.body = { access_token: text, token_type: 'Bearer', expires_in: token.expiration, scope };
    },
    ['scope'],
  );
}

/**
 * oidc-provider does not implement `response_type=token`. Such a request becomes `response_type=none` with this response
 * mode, which issues the token. Clients cannot request the mode (parse-authorization-request.ts).
 */
export const IMPLICIT_RESPONSE_MODE = 'gatehouse.token';

export function registerImplicitFlow(provider: Provider): void {
  provider.registerResponseMode(IMPLICIT_RESPONSE_MODE, async (context, redirectUri, response) => {
    const token = 'error' in response ? {} : await issueToken(provider, context);
    const target = new URL(redirectUri);
    target.hash = toFormBody({ ...token, ...response });
    context.status = 303;
    context.redirect(target.href);
  });
}

async function issueToken(provider: Provider, { oidc }: KoaContextWithOIDC): Promise<object> {
  const { client, session, grant } = oidc;
  const grantId = session?.grantIdFor(client?.clientId ?? '');
  if (!client || !grant || session?.accountId === undefined || grantId === undefined) {
    throw new Error('An authorized implicit request has no client, user or grant');
  }
  const token = new provider.AccessToken({
    client,
    accountId: session.accountId,
    grantId,
    gty: 'implicit',
    scope: grant.getOIDCScopeFiltered(oidc.requestParamOIDCScopes),
  });
  const text = await token.save();
  return { access_token: text, token_type: 'Bearer', expires_in: token.expiration, scope: token.scope };
}
