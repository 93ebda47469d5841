import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

/**
 * oidc-provider does not answer `response_type=token` by itself. It is asked for `none` instead, with a mode of answering
 * that makes the token; nobody outside can name the mode (authorize-request.ts).
 */
export const IMPLICIT_RESPONSE_MODE = 'gatehouse.token';

export function registerImplicitFlow(provider: Provider): void {
  provider.registerResponseMode(IMPLICIT_RESPONSE_MODE, async (context, redirectUri, answer) => {
    const token = 'error' in answer ? {} : await issueToken(provider, context);
    const fields = Object.entries({ ...token, ...answer }).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const target = new URL(redirectUri);
    target.hash = new URLSearchParams(fields).toString();
    context.status = 303;
    context.redirect(target.href);
  });
}

async function issueToken(provider: Provider, { oidc }: KoaContextWithOIDC): Promise<object> {
  const { client, session, grant } = oidc;
  const grantId = session?.grantIdFor(client?.clientId ?? '');
  if (!client || !grant || session?.accountId === undefined || grantId === undefined) {
    throw new Error('A request was allowed without a client, a user or a grant');
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
