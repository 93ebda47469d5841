import { DEFAULT_RETRY, type RetryOptions, type RetryPolicy } from './retry.js';

/** Gives access tokens, and new ones for those that were refused. `createTokenSource` makes one. */
export interface AccessTokenSource {
  getAccessToken: () => Promise<string>;
  /** A token other than this one, which was refused; undefined when there is none. */
  renewAccessToken: (refused: string) => Promise<string | undefined>;
}

export interface ClientOptions {
  /** The address of the deployment, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** The API key of a client application (`gth_…`), for servers. */
  readonly apiKey?: string | undefined;
  /** A publishable id (`gthp_…`), for pages: it is no secret, and checks published rules only. */
  readonly publishableId?: string | undefined;
  /** An OAuth access token of a user, or what gives them. */
  readonly accessToken?: string | AccessTokenSource | undefined;
  /** The id token of a Sign-in with Ethereum. */
  readonly idToken?: string | undefined;
  readonly retry?: RetryOptions | undefined;
  /** For each attempt. Default: 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Lets an API key be used where visitors of a page can read it. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** A deployment and a credential. Functions such as `request` and `checkRoles` take it. */
export interface Client {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly fetch: typeof globalThis.fetch;
  /** Headers with the credentials; functions, so that a client that is printed shows no secret. */
  readonly createHeaders: () => Promise<Record<string, string>>;
  /** Whether there is another access token after these headers were refused. */
  readonly renew: (refused: Record<string, string>) => Promise<boolean>;
}

export const DEFAULT_TIMEOUT_MS = 30_000;
const BEARER = 'Bearer ';

/**
 * Makes a client. Nothing is sent yet.
 * @throws TypeError for a base URL that is none, credentials that exclude each other, and an API key in a browser
 */
export function createClient(options: ClientOptions): Client {
  const { apiKey, publishableId, accessToken, idToken } = options;
  if (apiKey !== undefined && publishableId !== undefined)
    throw new TypeError('Give either apiKey or publishableId.');
  if (accessToken !== undefined && idToken !== undefined)
    throw new TypeError('Give either accessToken or idToken.');
  if (publishableId !== undefined && !publishableId.startsWith('gthp_'))
    throw new TypeError('A publishable id begins with gthp_. An API key has no place here.');
  if (apiKey?.startsWith('gthp_')) throw new TypeError('This is a publishable id: give it as publishableId.');
  if (apiKey !== undefined && isBrowser() && options.dangerouslyAllowBrowser !== true)
    throw new TypeError(
      'An API key in a page can be read by every visitor. Give a publishableId, or ask your own server.',
    );
  const key = apiKey ?? publishableId;
  const source = typeof accessToken === 'object' ? accessToken : undefined;
  const readAuthorization = async (): Promise<string | undefined> => {
    if (idToken !== undefined) return `AE ${idToken}`;
    if (typeof accessToken === 'string') return BEARER + accessToken;
    return source && BEARER + (await source.getAccessToken());
  };
  return Object.freeze({
    baseUrl: toBaseUrl(options.baseUrl),
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    retry: { ...DEFAULT_RETRY, ...options.retry },
    // Looked up late: a page may replace it, and browsers refuse it with another `this`.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    createHeaders: async () => {
      const authorization = await readAuthorization();
      return {
        ...(key !== undefined && { 'X-API-Key': key }),
        ...(authorization !== undefined && { Authorization: authorization }),
      };
    },
    renew: async ({ Authorization: refused = '' }) =>
      source !== undefined &&
      refused.startsWith(BEARER) &&
      (await source.renewAccessToken(refused.slice(BEARER.length))) !== undefined,
  } satisfies Client);
}

/** A page, a worker of a page, or an app of React Native. Servers that call themselves workers have no `importScripts`. */
export function isBrowser(): boolean {
  const { navigator } = globalThis as { navigator?: { product?: string } };
  return 'document' in globalThis || 'importScripts' in globalThis || navigator?.product === 'ReactNative';
}

function toBaseUrl(text: string): string {
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('baseUrl must be an http or https address.');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('baseUrl must have no credentials, query or fragment.');
  return url.href.replace(/\/+$/, '');
}
