import type { AccessTokenSource, Client } from './client.js';
import type { components } from './openapi.js';
import { type RequestOptions, send } from './request.js';

/** A client application as it is registered. Applications that run at their users have no secret. */
export interface OAuthApplication {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}

export interface AuthorizationOptions extends OAuthApplication {
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Further parameters, such as `prompt` or `nonce`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** Where to send the user, and what to keep until they are back: for instance in `sessionStorage`. */
export interface AuthorizationRequest {
  readonly url: string;
  readonly state: string;
  readonly codeVerifier: string;
}

/** Begins the authorization code flow with PKCE (RFC 7636, S256). */
export async function createAuthorizationRequest(
  client: Pick<Client, 'baseUrl'>,
  { clientId, redirectUri, scopes, parameters }: AuthorizationOptions,
): Promise<AuthorizationRequest> {
  const [state, codeVerifier] = [randomText(), randomText()];
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  const query = new URLSearchParams({
    ...parameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    code_challenge: toBase64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  });
  return { url: `${client.baseUrl}/oauth2/authorize?${query.toString()}`, state, codeVerifier };
}

/** The user refused, or what came back does not belong to the request that was begun. */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError';

  /** @param code of RFC 6749, such as `access_denied`, or `state_mismatch` */
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Reads the code from the address at which the user came back.
 * @throws AuthorizationError
 */
export function readAuthorizationCode(address: string | URL, state: string): string {
  const query = new URL(address).searchParams;
  if (query.get('state') !== state)
    throw new AuthorizationError('state_mismatch', 'This answer belongs to another request: begin again.');
  const error = query.get('error');
  if (error !== null) throw new AuthorizationError(error, query.get('error_description') ?? error);
  const code = query.get('code');
  if (code === null) throw new AuthorizationError('code_missing', 'The address has no code: begin again.');
  return code;
}

export interface OAuthTokens {
  readonly accessToken: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly scopes: readonly string[];
  readonly refreshToken?: string | undefined;
  readonly idToken?: string | undefined;
}

type TokenRequest = components['schemas']['OAuthTokenRequest'];
type TokenAnswer = components['schemas']['OAuthTokenAnswer'];

/** Exchanges a code for tokens. A code works once, so the exchange is not repeated. */
export function exchangeCode(
  client: Client,
  application: OAuthApplication & { readonly redirectUri: string },
  proof: { readonly code: string; readonly codeVerifier: string },
  options?: RequestOptions,
): Promise<OAuthTokens> {
  return askForTokens(
    client,
    application,
    {
      grant_type: 'authorization_code',
      code: proof.code,
      redirect_uri: application.redirectUri,
      code_verifier: proof.codeVerifier,
    },
    options,
  );
}

/** Gets a token of the application itself, without a user. */
export function requestClientToken(
  client: Client,
  application: OAuthApplication & { readonly clientSecret: string },
  scopes: readonly string[],
  options?: RequestOptions,
): Promise<OAuthTokens> {
  const body: TokenRequest = { grant_type: 'client_credentials', scope: scopes.join(' ') };
  return askForTokens(client, application, body, { ...options, isRepeatable: true });
}

/**
 * Exchanges a refresh token for new tokens. An application with a secret repeats it when no answer comes, which Gatehouse allows for ten
 * seconds. One without a secret must not: a used token ends the grant. `createTokenSource` shares one refresh among all callers.
 */
export async function refreshTokens(
  client: Client,
  application: OAuthApplication,
  refreshToken: string,
  options?: RequestOptions,
): Promise<OAuthTokens> {
  const body: TokenRequest = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const isRepeatable = application.clientSecret !== undefined;
  const tokens = await askForTokens(client, application, body, { ...options, isRepeatable });
  return { refreshToken, ...tokens };
}

async function askForTokens(
  client: Client,
  { clientId, clientSecret }: OAuthApplication,
  body: TokenRequest,
  options: RequestOptions = {},
): Promise<OAuthTokens> {
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
  const { data } = await send<TokenAnswer>(client, 'POST /oauth2/token', {
    ...options,
    body: { ...body, client_id: clientId, ...secret } satisfies TokenRequest,
  });
  return {
    accessToken: data.access_token,
    expiresAt: Date.now() + data.expires_in * 1_000,
    scopes: data.scope.split(' ').filter((scope) => scope !== ''),
    ...(data.refresh_token !== undefined && { refreshToken: data.refresh_token }),
    ...(data.id_token !== undefined && { idToken: data.id_token }),
  };
}

/** Where tokens are kept between runs, and between the tabs of a browser. */
export interface TokenStore {
  readonly load: () => OAuthTokens | undefined | Promise<OAuthTokens | undefined>;
  readonly save: (tokens: OAuthTokens) => void | Promise<void>;
}

export interface TokenSourceOptions extends OAuthApplication {
  readonly store: TokenStore;
}

/** A token that ends this soon is renewed before it is used. */
const RENEW_EARLY_MS = 30_000;

/**
 * Gives the access token of a user and renews it in time. Concurrent callers share one refresh; in browsers, so do all tabs that share
 * the store, by the Web Locks API. Give it to `createClient` as `accessToken`.
 * @param client without the user's token, for the token endpoint
 */
export function createTokenSource(
  client: Client,
  { store, ...application }: TokenSourceOptions,
): AccessTokenSource {
  let renewal: Promise<OAuthTokens | undefined> | undefined;
  const isFresh = (tokens: OAuthTokens): boolean => tokens.expiresAt - RENEW_EARLY_MS > Date.now();

  const renewOnce = async (isWanted: (tokens: OAuthTokens) => boolean): Promise<OAuthTokens | undefined> => {
    // Another caller or another tab may have renewed it while this one waited.
    const stored = await store.load();
    if (stored === undefined || !isWanted(stored)) return stored;
    if (stored.refreshToken === undefined) return undefined;
    const tokens = await refreshTokens(client, application, stored.refreshToken);
    await store.save(tokens);
    return tokens;
  };
  const renew = (isWanted: (tokens: OAuthTokens) => boolean): Promise<OAuthTokens | undefined> => {
    renewal ??= underLock(application.clientId, () => renewOnce(isWanted)).finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
  return {
    getAccessToken: async () => {
      const stored = await store.load();
      const tokens = stored && isFresh(stored) ? stored : await renew((one) => !isFresh(one));
      // A token without a successor is sent as it is: the answer 401 says why.
      const token = tokens?.accessToken ?? stored?.accessToken;
      if (token === undefined) throw new AuthorizationError('login_required', 'Nobody is signed in.');
      return token;
    },
    renewAccessToken: async (refused) => {
      const isRefused = ({ accessToken }: OAuthTokens): boolean => accessToken === refused;
      // A renewal that another caller began may have kept this token, which is refused long before its end.
      const current = await renewal;
      const tokens = current && !isRefused(current) ? current : await renew(isRefused);
      return tokens && !isRefused(tokens) ? tokens.accessToken : undefined;
    },
  };
}

/** What is used of `navigator.locks`, which browsers have and Node 20 has not. */
interface Locks {
  request: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}

function underLock<T>(clientId: string, work: () => Promise<T>): Promise<T> {
  const { navigator } = globalThis as { navigator?: { locks?: Locks } };
  return navigator?.locks ? navigator.locks.request(`gatehouse-tokens-${clientId}`, work) : work();
}

const randomText = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
