import { createHash, randomBytes } from 'node:crypto';
import { lease } from '../support/lease.js';
import { runningSuite, type RunningSuite, type SuiteOptions } from '../support/running-suite.js';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { queryDatabase } from './query-database.js';

export interface Application {
  clientId: string;
  ownerId: string;
  clientSecret: string;
  apiKey: string;
}

interface ApplicationOptions {
  type?: 'confidential' | 'public';
  scopes?: string[];
  redirectUris?: string[];
  implicit?: boolean;
  idTokenAlg?: 'RS256' | 'ES256';
}

export const CALLBACK = 'https://app.example/cb';

export type Decision = 'grant' | 'deny';

/** PKCE (RFC 7636). */
export function proofKey(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The status and the JSON body, merged. */
export const answerOf = async (response: Response): Promise<Record<string, unknown>> => ({
  status: response.status,
  ...((await response.json()) as object),
});

/** A client application's id and secret as form fields. */
export const credentials = ({ clientId, clientSecret }: Application) => ({
  client_id: clientId,
  client_secret: clientSecret,
});

export const basic = ({ clientId, clientSecret }: Application): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

type SuiteAtItsGateway = Pick<RunningSuite, 'gatewayUrl' | 'databaseUrl' | 'clientCommand' | 'stop'>;

/** The suite behind its gateway, with client applications and users. */
export class OAuthWorld<S extends SuiteAtItsGateway = RunningSuite> {
  private constructor(readonly suite: S) {}

  static async start(
    env: Record<string, string> = {},
    options: SuiteOptions = { without: ['token-gating'] },
  ): Promise<OAuthWorld> {
    const more = {
      ADDRESS_REQUESTS_PER_SECOND: '10000',
      CREDENTIAL_FEED_INTERVAL_MS: '200',
      // A time-out for tests that hold a statement back during several requests.
      DATABASE_STATEMENT_TIMEOUT_MS: '14000',
      ...env,
    };
    return new OAuthWorld(await runningSuite({ ...options, env: more }));
  }

  /** A world with a suite that runs already. */
  static of<S extends SuiteAtItsGateway>(suite: S): OAuthWorld<S> {
    return new OAuthWorld(suite);
  }

  /** The world that test files share. */
  static lease(): Promise<OAuthWorld> {
    return lease('oauth', {}, (env) => OAuthWorld.start(env));
  }

  get origin(): string {
    return this.suite.gatewayUrl;
  }

  async application(options: ApplicationOptions = {}): Promise<Application> {
    const { type = 'confidential', scopes = [], redirectUris = [CALLBACK] } = options;
    const limits = ['--requests-per-second', '10000', '--requests-per-month', '1000000'];
    const flags = ['--name', 'Shop', '--plan', 'enterprise', ...limits, '--type', type];
    flags.push('--redirect-uris', redirectUris.join(' '), '--implicit', options.implicit ? 'on' : 'off');
    flags.push('--id-token-alg', options.idTokenAlg ?? 'RS256', '--json');
    if (scopes.length > 0) flags.push('--scopes', scopes.join(','));
    const printed = await this.suite.clientCommand(['create', ...flags]);
    const line = printed.split('\n').find((text) => text.startsWith('{'));
    return JSON.parse(line ?? 'null') as Application;
  }

  /** A new user, signed in in a new browser. */
  async user(): Promise<OAuthBrowser> {
    const browser = new OAuthBrowser(this.origin);
    await browser.signIn();
    return browser;
  }

  authorizeUrl(parameters: Record<string, string>): string {
    return `${this.origin}/oauth2/authorize?${new URLSearchParams(parameters).toString()}`;
  }

  /** Runs an authorization request up to the redirect, with a consent decision if required. */
  async authorize(
    browser: OAuthBrowser,
    parameters: Record<string, string>,
    decision: Decision = 'grant',
    leaveOut: readonly string[] = [],
  ): Promise<URL> {
    const page = await browser.follow(this.authorizeUrl(parameters));
    if (page.location !== undefined) return new URL(page.location);
    const html = await page.response.text();
    const path = new URL(page.url).pathname;
    if (!path.startsWith('/consent/'))
      throw new Error(`${path} ${page.response.status}: ${html.slice(0, 1_000)}`);
    const fields = [...html.matchAll(/name="(scope\.[^"]+)"/g)].map(([, name = '']) => name);
    const chosen = fields.filter((name) => !leaveOut.includes(name.slice('scope.'.length)));
    const form = { csrf: csrfOf(html), decision, ...Object.fromEntries(chosen.map((name) => [name, 'on'])) };
    const { location } = await browser.follow(path, { method: 'POST', body: new URLSearchParams(form) });
    if (location === undefined) throw new Error('The decision did not lead back to the application');
    return new URL(location);
  }

  /** An authorization code for a user. */
  async code(
    browser: OAuthBrowser,
    { clientId }: Application,
    more: Record<string, string> = {},
  ): Promise<string> {
    const request = { response_type: 'code', client_id: clientId, redirect_uri: CALLBACK, ...more };
    const back = await this.authorize(browser, request);
    const code = back.searchParams.get('code');
    if (code === null) throw new Error(`No code: ${back.search}`);
    return code;
  }

  post(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(this.origin + path, {
      method: 'POST',
      headers: { accept: 'application/json', ...headers },
      body: new URLSearchParams(fields),
    });
  }

  /** The token response for a client application with HTTP Basic. */
  async token(application: Application, fields: Record<string, string>): Promise<TokenAnswer> {
    const response = await this.post('/oauth2/token', fields, { authorization: basic(application) });
    return { status: response.status, ...((await response.json()) as Omit<TokenAnswer, 'status'>) };
  }

  exchange(application: Application, code: string, more: Record<string, string> = {}): Promise<TokenAnswer> {
    return this.token(application, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      ...more,
    });
  }

  async introspect(application: Application, token: string): Promise<Record<string, unknown>> {
    const response = await this.post('/oauth2/introspect', { token }, { authorization: basic(application) });
    return (await response.json()) as Record<string, unknown>;
  }

  /** The gateway's status for a token at an operation that every user may call. */
  async me(token: string): Promise<number> {
    const response = await fetch(`${this.origin}/account/me`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await response.body?.cancel();
    return response.status;
  }

  query(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    return queryDatabase(this.suite.databaseUrl, sql, parameters);
  }

  async stop(): Promise<Record<string, number | null>> {
    return this.suite.stop();
  }
}

export interface TokenAnswer {
  status: number;
  access_token: string;
  token_type?: string;
  expires_in?: number;
  scope?: string;
  refresh_token?: string;
  id_token?: string;
  error?: string;
  error_description?: string;
}
