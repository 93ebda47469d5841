import { errors, type Provider } from 'oidc-provider';
import { isUserScope } from '../clients/scopes.js';

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
