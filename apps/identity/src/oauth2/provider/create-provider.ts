import type { KeyObject } from 'node:crypto';
import type { Logger } from '@app/service';
import {
  type Adapter,
  type Client,
  type Configuration,
  type JWK,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import type { CredentialHasher } from '../../credentials/credential-hasher.js';
import type { RevocationQuota } from '../../revocations/revocation-quota.js';
import type { Decisions } from '../storage/decisions.js';
import { GRANT_SECONDS } from '../storage/insert-grant.js';
import type { AccessTokens } from './access-tokens.js';
import { protectBrowsers } from './browser-answers.js';
import { answerClients } from './client-answers.js';
import { addClientCredentials } from './client-credentials.js';
import { type ClientShares, PLAN } from './client-shares.js';
import { isSecretOf, SECRET_HASHES } from './client-secret.js';
import { cookies } from './cookies.js';
import { correctDiscovery } from './discovery.js';
import { renderErrorPage } from './error-page.js';
import { addImplicitFlow } from './implicit-flow.js';
import { interactionPath, policy, type UserOf } from './interaction-policy.js';
import { issueJwts } from './jwt-access-tokens.js';
import { PATHS } from './paths.js';
import { isRedirectAllowed } from './redirect-rule.js';
import { rememberedGrant } from './remembered-grant.js';
import { reportFailures } from './report-failures.js';
import { mayRevoke } from './revocation-policy.js';
import { ALL_SCOPES } from './scopes.js';
import { signInTime } from './sign-in-time.js';
import { isCredential, nameTokenTypes } from './wallet-token-kinds.js';

export interface IdTokenKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
}

export interface ProviderParts {
  /** The public URL. */
  readonly issuer: string;
  readonly isHttps: boolean;
  readonly cookieSecret: Buffer;
  /** Lifetime of access tokens and id tokens. */
  readonly tokenLifetimeSeconds: number;
  readonly idTokenKeys: readonly IdTokenKey[];
  readonly adapter: (kind: string) => Adapter;
  readonly decisions: Decisions;
  readonly accessTokens: AccessTokens;
  readonly revocationQuota: RevocationQuota;
  readonly hasher: CredentialHasher;
  readonly shares: ClientShares;
  /** Who is signed in to our pages in the browser that asks. */
  readonly userOf: UserOf;
  readonly logger: Logger;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** contract.md section 4. In seconds. */
const lifetimes = (tokenLifetimeSeconds: number) => ({
  AccessToken: tokenLifetimeSeconds,
  ClientCredentials: tokenLifetimeSeconds,
  IdToken: tokenLifetimeSeconds,
  AuthorizationCode: 60,
  Interaction: HOUR / 2,
  // It counts for nothing without the browser's own session (interaction-policy.ts), which ends sooner, and who still has
  // that one when this one ends notices nothing: the login is not asked for again.
  Session: DAY,
  RefreshToken: 30 * DAY,
  Grant: GRANT_SECONDS,
});

/** oidc-provider as contract.md section 4 wants it. It keeps nothing itself: another one may take its place any time. */
export function createProvider(parts: ProviderParts): Provider {
  const { issuer, hasher, shares, accessTokens, logger } = parts;
  const provider = new Provider(issuer, configuration(parts));
  // The request that it sees is one of ours (provider-request.ts) and says where users and clients really are.
  provider.proxy = true;
  provider.Client.prototype.redirectUriAllowed = function (this: Client, uri: string) {
    return isRedirectAllowed(uri, this.redirectUris ?? []);
  };
  provider.Client.prototype.compareClientSecret = function (this: Client, secret: string) {
    const isRight = isSecretOf(this, secret, hasher);
    if (isRight) shares.take(this);
    return isRight;
  };
  addImplicitFlow(provider);
  addClientCredentials(provider);
  issueJwts(provider, accessTokens);
  nameTokenTypes(provider);
  answerClients(provider);
  protectBrowsers(provider);
  correctDiscovery(provider, { jwksUri: issuer + PATHS.jwks, userinfoUri: issuer + PATHS.userinfo });
  reportFailures(provider, logger);
  return provider;
}

function configuration(parts: ProviderParts): Configuration {
  const { adapter, cookieSecret, isHttps, idTokenKeys, decisions, userOf, revocationQuota } = parts;
  const off = { enabled: false };
  return {
    adapter,
    jwks: { keys: idTokenKeys.map(toJwk) },
    cookies: cookies(cookieSecret, isHttps),
    routes: PATHS,
    scopes: ALL_SCOPES,
    claims: { openid: ['sub'], 'user:read': ['name', 'preferred_username', 'picture'] },
    responseTypes: ['code', 'none'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    extraClientMetadata: { properties: [SECRET_HASHES, PLAN] },
    pkce: { required: (_context, client) => client.tokenEndpointAuthMethod === 'none' },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => false,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: {
      policy: policy(userOf),
      url: (_context, { uid, prompt }) => interactionPath(uid, prompt.name),
    },
    loadExistingGrant: (context) => rememberedGrant(context, decisions),
    extraTokenClaims: signInTime,
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    ttl: lifetimes(parts.tokenLifetimeSeconds),
    renderError: renderErrorPage,
    features: {
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      resourceIndicators: off,
      rpInitiatedLogout: off,
      // Answered for whom the gateway found (userinfo.ts).
      userinfo: off,
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: mayAsk },
      revocation: {
        enabled: true,
        allowedPolicy: (context, client, token) => mayRevoke(context, client, token, revocationQuota),
      },
    },
  };
}

const toJwk = ({ kid, alg, privateKey }: IdTokenKey): JWK => ({
  ...(privateKey.export({ format: 'jwk' }) as JWK),
  kid,
  alg,
  use: 'sig',
});

interface OfClient {
  readonly kind: string;
  readonly clientId?: string | undefined;
  readonly gty?: string | undefined;
}

/**
 * Whoever has an access token and can prove to be a client application may know what it is good for: it may have been shown to
 * them. Of one that was issued to a client application which is no more, nothing; and a refresh token is shown to nobody but us.
 * What an Ethereum credential is good for depends on who signed it, which is not looked at here.
 */
async function mayAsk(
  { oidc: { provider } }: KoaContextWithOIDC,
  client: Client,
  { clientId, kind, gty }: OfClient,
): Promise<boolean> {
  if (isCredential({ gty })) return false;
  if (clientId === undefined || client.clientId === clientId) return true;
  if (kind === 'RefreshToken') return false;
  return client.tokenEndpointAuthMethod !== 'none' && (await provider.Client.find(clientId)) !== undefined;
}
