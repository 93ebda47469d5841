import { DAY_SECONDS, HOUR_SECONDS } from '@app/common';
import type { KeyObject } from 'node:crypto';
import type { Logger } from '@app/service';
import {
  type Adapter,
  type Client,
  type Configuration,
  errors,
  type JWK,
  type KoaContextWithOIDC,
  Provider,
  type UnknownObject,
} from 'oidc-provider';
import type { CredentialHasher } from '../../applications/credentials/credential-issuer.js';
import type { RevocationQuotaService } from '../../tokens/revocations/revocation-quota.service.js';
import type { ConsentService } from '../storage/consent.service.js';
import { GRANT_LIFETIME_SECONDS } from '../storage/oauth-models.queries.js';
import type { AccessTokenService } from '../tokens/access-token.service.js';
import {
  addBrowserSecurityHeaders,
  createCookieConfig,
  formatClientResponses,
  countPublicGrants,
  logProviderErrors,
} from './provider-middleware.js';
import { registerClientCredentialsGrant, registerImplicitFlow } from './register-grants.js';
import { type ClientRateLimiter, PLAN_METADATA } from '../clients/client-rate-limiter.js';
import { isValidClientSecret, SECRET_HASHES_METADATA } from '../clients/client-secret.js';
import { extendDiscoveryDocument } from './extend-discovery-document.js';
import { renderErrorPage } from './error-page.js';
import {
  toInteractionPath,
  createInteractionPolicy,
  type FindBrowserUser,
  loadExistingGrant,
} from './interaction-policy.js';
import { chainRefreshTokens } from '../tokens/refresh-tokens.js';
import { issueJwtAccessTokens } from '../tokens/issue-jwt-access-tokens.js';
import { TOKEN_RESPONSE_METADATA } from './negotiate-content-type.js';
import { OAUTH_PATHS } from './oauth-paths.js';
import { isRedirectUriAllowed } from '../clients/is-redirect-uri-allowed.js';
import { defineTokenTypes, isEthereumCredential, isRevocationAllowed } from '../tokens/revocation-policy.js';
import { ALL_SCOPES } from '../clients/scopes.js';
import { CLAIMS_BY_SCOPE } from '../openid.dto.js';
import type { UserInfoService } from '../user-info.controller.js';

/**
 * Tells when and how the user signed in: operations that require a recent login, or one by wallet, check these claims.
 */
function toLoginClaims({ oidc }: KoaContextWithOIDC): UnknownObject | undefined {
  const { AuthorizationCode: code, RefreshToken: refresh } = oidc.entities;
  const token = code ?? refresh;
  const [time, amr] = token ? [token.authTime, token.amr] : [oidc.session?.authTime(), oidc.session?.amr];
  return time === undefined ? undefined : { auth_time: time, amr };
}

interface IdTokenKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
}

interface ProviderDependencies {
  /** The public URL. */
  readonly issuer: string;
  readonly isHttps: boolean;
  readonly cookieSecret: Buffer;
  /** Lifetime of access tokens and id tokens. */
  readonly tokenLifetimeSeconds: number;
  readonly idTokenKeys: readonly IdTokenKey[];
  readonly adapter: (kind: string) => Adapter;
  readonly consents: ConsentService;
  readonly accessTokens: AccessTokenService;
  readonly revocationQuota: RevocationQuotaService;
  readonly hasher: CredentialHasher;
  readonly rateLimiter: ClientRateLimiter;
  readonly findBrowserUser: FindBrowserUser;
  readonly loadClaims: UserInfoService['loadClaims'];
  readonly logger: Logger;
}

/** contract.md section 4, in seconds. */
const createLifetimes = (tokenLifetimeSeconds: number) => ({
  AccessToken: tokenLifetimeSeconds,
  ClientCredentials: tokenLifetimeSeconds,
  IdToken: tokenLifetimeSeconds,
  AuthorizationCode: 60,
  Interaction: HOUR_SECONDS / 2,
  // Without the browser session (interaction-policy.ts), which ends sooner, this session is ignored. With a live browser
  // session, its expiry requires no new login.
  Session: DAY_SECONDS,
  RefreshToken: 30 * DAY_SECONDS,
  Grant: GRANT_LIFETIME_SECONDS,
});

/** Configures oidc-provider according to contract.md section 4. The provider is stateless and may be replaced at any time. */
export function createProvider(dependencies: ProviderDependencies): Provider {
  const { issuer, hasher, rateLimiter, accessTokens, logger } = dependencies;
  const provider = new Provider(issuer, createConfiguration(dependencies));
  // Trusts the forwarded headers, which oidc.service.ts sets to the public URL.
  provider.proxy = true;
  provider.Client.prototype.redirectUriAllowed = function (this: Client, uri: string) {
    return isRedirectUriAllowed(uri, this.redirectUris ?? []);
  };
  provider.Client.prototype.compareClientSecret = async function (this: Client, secret: string) {
    const isValid = isValidClientSecret(this, secret, hasher);
    if (isValid) await rateLimiter.countRequest(this);
    return isValid;
  };
  countPublicGrants(provider, rateLimiter);
  registerImplicitFlow(provider);
  registerClientCredentialsGrant(provider);
  issueJwtAccessTokens(provider, accessTokens);
  chainRefreshTokens(provider, hasher);
  defineTokenTypes(provider);
  formatClientResponses(provider);
  addBrowserSecurityHeaders(provider);
  extendDiscoveryDocument(provider, {
    jwksUri: issuer + OAUTH_PATHS.jwks,
    userinfoUri: issuer + OAUTH_PATHS.userinfo,
    endSessionUri: issuer + OAUTH_PATHS.endSession,
  });
  logProviderErrors(provider, logger);
  return provider;
}

function createConfiguration(dependencies: ProviderDependencies): Configuration {
  const { adapter, cookieSecret, isHttps, idTokenKeys, consents, findBrowserUser } = dependencies;
  const { revocationQuota, rateLimiter } = dependencies;
  const disabled = { enabled: false };
  return {
    adapter,
    jwks: { keys: idTokenKeys.map(toJwk) },
    cookies: createCookieConfig(cookieSecret, isHttps),
    routes: OAUTH_PATHS,
    scopes: ALL_SCOPES,
    claims: Object.fromEntries(Object.entries(CLAIMS_BY_SCOPE).map(([scope, names]) => [scope, [...names]])),
    responseTypes: ['code', 'none'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    extraClientMetadata: { properties: [SECRET_HASHES_METADATA, PLAN_METADATA, TOKEN_RESPONSE_METADATA] },
    pkce: { required: (_context, client) => client.tokenEndpointAuthMethod === 'none' },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => false,
    findAccount: (context, id) => ({
      accountId: id,
      claims: async (_use, scope) => ({
        ...(await dependencies.loadClaims(id, scope.split(' '), context.oidc.client?.clientId)),
      }),
    }),
    interactions: {
      policy: createInteractionPolicy(findBrowserUser),
      url: (_context, { uid, prompt }) => toInteractionPath(uid, prompt.name),
    },
    loadExistingGrant: (context) => {
      checkRedirectUri(context);
      return loadExistingGrant(context, consents);
    },
    extraTokenClaims: toLoginClaims,
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    ttl: createLifetimes(dependencies.tokenLifetimeSeconds),
    renderError: renderErrorPage,
    features: {
      devInteractions: disabled,
      dPoP: disabled,
      pushedAuthorizationRequests: disabled,
      resourceIndicators: disabled,
      rpInitiatedLogout: disabled,
      // UserInfoService handles this endpoint, because the gateway authenticates its caller.
      userinfo: disabled,
      clientCredentials: { enabled: true },
      introspection: {
        enabled: true,
        allowedPolicy: async (context, client, token) => {
          const isAllowed = await isIntrospectionAllowed(context, client, token);
          if (isAllowed) await rateLimiter.countPublicRequest(client);
          return isAllowed;
        },
      },
      revocation: {
        enabled: true,
        allowedPolicy: (context, client, token) =>
          isRevocationAllowed(context, client, token, { quota: revocationQuota, rateLimiter }),
      },
    },
  };
}

/** oidc-provider compares the redirect URI when a request begins only: up to half an hour before it issues the code. */
function checkRedirectUri({ oidc: { client, params } }: KoaContextWithOIDC): void {
  const redirectUri = params?.['redirect_uri'];
  if (typeof redirectUri !== 'string' || !client?.redirectUriAllowed(redirectUri))
    throw new errors.InvalidRedirectUri();
}

const toJwk = ({ kid, alg, privateKey }: IdTokenKey): JWK => ({
  ...(privateKey.export({ format: 'jwk' }) as JWK),
  kid,
  alg,
  use: 'sig',
});

interface IntrospectedToken {
  readonly kind: string;
  readonly clientId?: string | undefined;
  readonly gty?: string | undefined;
}

/**
 * Every confidential client may introspect an access token presented to it, unless the token's client was deleted. A refresh
 * token may be introspected by its own client only. Ethereum credentials are never introspected, because their signature is
 * not checked here.
 */
async function isIntrospectionAllowed(
  { oidc: { provider } }: KoaContextWithOIDC,
  client: Client,
  { clientId, kind, gty }: IntrospectedToken,
): Promise<boolean> {
  if (isEthereumCredential({ gty })) return false;
  if (clientId === undefined || client.clientId === clientId) return true;
  if (kind === 'RefreshToken') return false;
  return client.tokenEndpointAuthMethod !== 'none' && (await provider.Client.find(clientId)) !== undefined;
}
