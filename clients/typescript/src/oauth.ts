import { type AccessTokenSource, type Client, isBrowser } from './client.js';
import { ConnectionError, GatehouseError } from './errors.js';
import type { components } from './openapi.js';
import { type RequestOptions, type RequestParts, send } from './request.js';

/** A client application as it is registered. Applications that run at their users have no secret. */
export interface OAuthApplication {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Lets a secret be used where visitors of a page can read it. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
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

  /** @param code of RFC 6749, such as `access_denied`, or `state_mismatch`, `login_required` */
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Reads the code from the address at which the user came back.
 * @throws AuthorizationError
 */
export function readAuthorizationCode(address: string | URL, state: string): string {
  const query = new URL(address).searchParams;
  // What a storage has lost is null, which an address without a state would equal.
  if (!isText(state) || query.get('state') !== state)
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
  /** The refresh token was used or refused: the user signs in again when the access token has ended. */
  readonly isLoginRequired?: boolean | undefined;
}

type TokenRequest = components['schemas']['OAuthTokenRequest'];
type TokenAnswer = components['schemas']['OAuthTokenAnswer'];

/** Exchanges a code for tokens. A code works once, so the exchange is not repeated. */
export async function exchangeCode(
  client: Client,
  application: OAuthApplication & { readonly redirectUri: string },
  proof: { readonly code: string; readonly codeVerifier: string },
  options?: RequestOptions,
): Promise<OAuthTokens> {
  if (!isText(proof.codeVerifier))
    throw new AuthorizationError('code_verifier_missing', 'The code verifier was not kept: begin again.');
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

/** A refresh is quick. An attempt that waits longer takes the time in which it may be repeated. */
const MAX_REFRESH_TIMEOUT_MS = 3_000;
const MAX_REFRESH_DELAY_MS = 1_000;
/** Gatehouse takes a used refresh token for ten seconds; the rest is for the way there. */
const MAX_REFRESH_REPEAT_MS = 8_000;

/**
 * Exchanges a refresh token for new tokens. An application with a secret repeats it when no answer comes, for at most eight seconds: ten
 * seconds after its first use the token ends the grant. An application without a secret must not repeat it at all.
 * `createTokenSource` shares one refresh among all callers.
 */
export async function refreshTokens(
  client: Client,
  application: OAuthApplication,
  refreshToken: string,
  options?: RequestOptions,
): Promise<OAuthTokens> {
  const body: TokenRequest = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const isConfidential = application.clientSecret !== undefined;
  const retry = { ...client.retry, ...options?.retry };
  const tokens = await askForTokens(client, application, body, {
    ...options,
    isRepeatable: isConfidential,
    timeoutMs: Math.min(options?.timeoutMs ?? client.timeoutMs, MAX_REFRESH_TIMEOUT_MS),
    retry: {
      ...retry,
      baseDelayMs: Math.min(retry.baseDelayMs, MAX_REFRESH_DELAY_MS),
      maxDelayMs: Math.min(retry.maxDelayMs, MAX_REFRESH_DELAY_MS),
    },
    maxRepeatMs: MAX_REFRESH_REPEAT_MS,
  });
  return { ...(isConfidential && { refreshToken }), ...tokens };
}

async function askForTokens(
  client: Client,
  application: OAuthApplication,
  body: TokenRequest,
  options: RequestParts = {},
): Promise<OAuthTokens> {
  refuseSecretInBrowser(application);
  const { clientId, clientSecret } = application;
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
  const { data } = await send<TokenAnswer>(client, 'POST /oauth2/token', {
    ...options,
    body: { ...body, client_id: clientId, ...secret } satisfies TokenRequest,
  });
  if (!isText((data as Partial<TokenAnswer> | undefined)?.access_token))
    throw new ConnectionError('The answer to the token request has no access token.');
  return {
    accessToken: data.access_token,
    expiresAt: Date.now() + data.expires_in * 1_000,
    scopes: data.scope.split(' ').filter((scope) => scope !== ''),
    ...(data.refresh_token !== undefined && { refreshToken: data.refresh_token }),
    ...(data.id_token !== undefined && { idToken: data.id_token }),
  };
}

/** @throws TypeError */
function refuseSecretInBrowser({ clientSecret, dangerouslyAllowBrowser }: OAuthApplication): void {
  if (clientSecret !== undefined && isBrowser() && dangerouslyAllowBrowser !== true)
    throw new TypeError(
      'A client secret in a page can be read by every visitor. Register an application without a secret.',
    );
}

/** Where tokens are kept between runs, and between the tabs of a browser. */
export interface TokenStore {
  readonly load: () => OAuthTokens | undefined | Promise<OAuthTokens | undefined>;
  readonly save: (tokens: OAuthTokens) => void | Promise<void>;
}

export interface TokenSourceOptions extends OAuthApplication {
  readonly store: TokenStore;
  /**
   * The lock (Web Locks API) of all that share the store. Pages have one for each client id by default. In Node 24.5 or newer the threads
   * of one process may share one: name it after the user whose tokens these are, because one user would wait for the other.
   */
  readonly lockName?: string | undefined;
}

/** A token that ends this soon is renewed before it is used. */
const RENEW_EARLY_MS = 30_000;

/**
 * Gives the access token of a user and renews it in time. Concurrent callers share one refresh; in browsers, so do all tabs that share
 * the store, by the Web Locks API. Give it to `createClient` as `accessToken`. Calls throw an `AuthorizationError` with `login_required`
 * when the user has to sign in again.
 * @param client without the user's token, for the token endpoint
 */
export function createTokenSource(
  client: Client,
  { store, lockName, ...application }: TokenSourceOptions,
): AccessTokenSource {
  refuseSecretInBrowser(application);
  const isConfidential = application.clientSecret !== undefined;
  const lock =
    lockName ?? ('document' in globalThis ? `gatehouse-tokens-${application.clientId}` : undefined);
  let renewal: Promise<OAuthTokens | undefined> | undefined;
  const isFresh = (tokens: OAuthTokens): boolean => tokens.expiresAt - RENEW_EARLY_MS > Date.now();

  const renewOnce = async (isWanted: (tokens: OAuthTokens) => boolean): Promise<OAuthTokens | undefined> => {
    // Another caller or another tab may have renewed it while this one waited.
    const stored = await store.load();
    if (stored === undefined || !isWanted(stored)) return stored;
    if (stored.isLoginRequired === true) throw loginRequired();
    const { refreshToken, ...withoutRefreshToken } = stored;
    if (refreshToken === undefined) return undefined;
    const used: OAuthTokens = { ...withoutRefreshToken, isLoginRequired: true };
    // A public application's token counts as used before it is sent: a page that is closed meanwhile must not send it again.
    if (!isConfidential) await store.save(used);
    try {
      const tokens = await refreshTokens(client, application, refreshToken);
      await store.save(tokens);
      return tokens;
    } catch (error) {
      const isRefused = error instanceof GatehouseError && error.code === 'invalid_grant';
      const isUnused = error instanceof GatehouseError && error.status < 500 && !isRefused;
      if (isRefused || (!isConfidential && !isUnused)) {
        await store.save(used);
        throw loginRequired(error);
      }
      if (!isConfidential) await store.save(stored);
      throw error;
    }
  };
  const renew = (isWanted: (tokens: OAuthTokens) => boolean): Promise<OAuthTokens | undefined> => {
    renewal ??= underLock(lock, () => renewOnce(isWanted)).finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
  return {
    getAccessToken: async () => {
      const stored = await store.load();
      const tokens =
        stored && isFresh(stored)
          ? stored
          : await renew((one) => !isFresh(one)).catch((error: unknown) => {
              // An early renewal that fails costs nothing while the old token works.
              if (stored && stored.expiresAt > Date.now()) return stored;
              throw error;
            });
      // A token without a successor is sent as it is: the answer 401 says why.
      const token = tokens?.accessToken ?? stored?.accessToken;
      if (token === undefined) throw loginRequired();
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

function underLock<T>(name: string | undefined, work: () => Promise<T>): Promise<T> {
  const { navigator } = globalThis as { navigator?: { locks?: Locks } };
  return name !== undefined && navigator?.locks ? navigator.locks.request(name, work) : work();
}

const loginRequired = (cause?: unknown): AuthorizationError =>
  new AuthorizationError('login_required', 'The user has to sign in.', { cause });

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const randomText = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
