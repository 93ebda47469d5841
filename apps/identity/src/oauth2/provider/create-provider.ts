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
} from 'oidc-provider';
import type { CredentialHasher } from '../../credentials/credential-hasher.js';
import type { Grants } from '../storage/grants.js';
import type { AccessTokens } from './access-tokens.js';
import { answerClients } from './client-answers.js';
import { addClientCredentials } from './client-credentials.js';
import { isSecretOf, SECRET_HASHES } from './client-secret.js';
import { cookies } from './cookies.js';
import { correctDiscovery } from './discovery.js';
import { renderErrorPage } from './error-page.js';
import { addImplicitFlow } from './implicit-flow.js';
import { interactionPath, policy } from './interaction-policy.js';
import { issueJwts } from './jwt-access-tokens.js';
import { PATHS } from './paths.js';
import { isRedirectAllowed } from './redirect-rule.js';
import { rememberedGrant } from './remembered-grant.js';
import { reportFailures } from './report-failures.js';
import { ALL_SCOPES } from './scopes.js';
import { signInTime } from './sign-in-time.js';

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
  readonly idTokenKeys: readonly IdTokenKey[];
  readonly adapter: (kind: string) => Adapter;
  readonly grants: Grants;
  readonly accessTokens: AccessTokens;
  readonly hasher: CredentialHasher;
  readonly logger: Logger;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** contract.md section 4. In seconds. */
const TTL = {
  AccessToken: HOUR,
  ClientCredentials: HOUR,
  IdToken: HOUR,
  AuthorizationCode: 60,
  Interaction: HOUR / 2,
  // As long as a browser is signed in by default without doing anything: it must not outlast that by days.
  Session: 2 * HOUR,
  RefreshToken: 30 * DAY,
  Grant: 365 * DAY,
};

/** oidc-provider as contract.md section 4 wants it. It keeps nothing itself: another one may take its place any time. */
export function createProvider(parts: ProviderParts): Provider {
  const { issuer, hasher, accessTokens, logger } = parts;
  const provider = new Provider(issuer, configuration(parts));
  // The request that it sees is one of ours (provider-request.ts) and says where users and clients really are.
  provider.proxy = true;
  provider.Client.prototype.redirectUriAllowed = function (this: Client, uri: string) {
    return isRedirectAllowed(uri, this.redirectUris ?? []);
  };
  provider.Client.prototype.compareClientSecret = function (this: Client, secret: string) {
    return isSecretOf(this, secret, hasher);
  };
  addImplicitFlow(provider);
  addClientCredentials(provider);
  issueJwts(provider, accessTokens);
  answerClients(provider);
  correctDiscovery(provider, { jwksUri: issuer + PATHS.jwks, userinfoUri: issuer + PATHS.userinfo });
  reportFailures(provider, logger);
  return provider;
}

function configuration(parts: ProviderParts): Configuration {
  const { adapter, cookieSecret, isHttps, idTokenKeys, grants } = parts;
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
    extraClientMetadata: { properties: [SECRET_HASHES] },
    pkce: { required: (_context, client) => client.tokenEndpointAuthMethod === 'none' },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => false,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { policy: policy(), url: (_context, { uid, prompt }) => interactionPath(uid, prompt.name) },
    loadExistingGrant: (context) => rememberedGrant(context, grants),
    extraTokenClaims: signInTime,
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    ttl: TTL,
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
      revocation: { enabled: true, allowedPolicy: (_context, client, token) => mayRevoke(client, token) },
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
  readonly clientId?: string | undefined;
}

/**
 * Whoever has a token and can prove to be a client application may know what it is good for: of one that was issued to a client
 * application which is no more, nothing.
 */
async function mayAsk(
  { oidc: { provider } }: KoaContextWithOIDC,
  client: Client,
  { clientId }: OfClient,
): Promise<boolean> {
  if (clientId === undefined || client.clientId === clientId) return true;
  return client.tokenEndpointAuthMethod !== 'none' && (await provider.Client.find(clientId)) !== undefined;
}

/** RFC 7009 section 2.1: a token is revoked by whom it was issued to, and others hear that they may not. */
function mayRevoke(client: Client, { clientId }: OfClient): boolean {
  if (client.clientId !== clientId) throw new errors.InvalidRequest('the token was issued to another client');
  return true;
}
