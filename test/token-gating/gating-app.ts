import { PRINCIPAL_HEADER, PrincipalIssuer, type InternalSigningKey, type Principal } from '@app/auth';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { checkDeclared } from '../support/declared-answers.js';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';
import { operationOf } from '../support/operation-of.js';
import { type RunningApp, runningApp } from '../support/running-app.js';

export const client: Extract<Principal, { kind: 'caller' }> = {
  kind: 'caller',
  client: { id: 'client_1', ownerId: 'owner_1', plan: 'free' },
  scopes: ['token-gating'],
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body. */
  readonly body: unknown;
}

/** The built app alone, with requests like the gateway's. */
export class GatingApp {
  private readonly issuer: PrincipalIssuer;
  private readonly others: RunningApp[] = [];

  private constructor(
    readonly app: RunningApp,
    private readonly env: Record<string, string>,
    /** Private key of an app, for requests in its name. */
    readonly signingKey: (name: string) => InternalSigningKey,
    private readonly database: FreshDatabase,
  ) {
    this.issuer = new PrincipalIssuer(signingKey('gateway'));
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** @param via maps the database URL to the one that the app uses, such as a proxy */
  static async start(
    env: Record<string, string>,
    via: (databaseUrl: string) => string | Promise<string> = (url) => url,
  ): Promise<GatingApp> {
    const { signing, keySet, callbackKeySecret, opaqueTokenSecret } = makeSecrets([
      'gateway',
      'token-gating',
      'identity',
    ]);
    const database = await freshDatabase('token-gating');
    const environment = {
      NODE_ENV: 'test',
      SHUTDOWN_DELAY_MS: '0',
      INTERNAL_KEYS: JSON.stringify(keySet),
      INTERNAL_SIGNING_KEY: JSON.stringify(signing['token-gating']),
      IDENTITY_URL: 'http://127.0.0.1:1', // no user can be looked up
      GATEWAY_URL: 'http://127.0.0.1:1', // queued checks cannot be counted
      DATABASE_URL: await via(database.url),
      CALLBACK_KEY_SECRET: callbackKeySecret,
      OPAQUE_TOKEN_SECRET: opaqueTokenSecret,
      PUBLIC_URL: 'http://localhost:3000',
      ...env,
    };
    const app = await runningApp('token-gating', { ...(await freshPorts()), ...environment });
    return new GatingApp(app, environment, (name) => signing[name] as InternalSigningKey, database);
  }

  /** Starts another instance, which stops with the first. */
  async another(): Promise<RunningApp> {
    const other = await runningApp('token-gating', { ...(await freshPorts()), ...this.env });
    this.others.push(other);
    return other;
  }

  async request(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
    as: Principal = client,
    app = this.app,
  ): Promise<Answer> {
    const response = await fetch(app.url + path, {
      method,
      body,
      headers: {
        [PRINCIPAL_HEADER]: await this.issuer.issueToken(as, 'token-gating', operationOf(method, path)),
        'Content-Type': 'application/json',
        ...headers,
      },
    });
    const text = await response.text();
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    checkDeclared(method, path, response.status, text);
    return { status: response.status, headers: response.headers, body: json };
  }

  check(
    body: unknown,
    headers: Record<string, string> = {},
    as: Principal = client,
    app = this.app,
  ): Promise<Answer> {
    return this.request('POST', '/access-control/check-roles', JSON.stringify(body), headers, as, app);
  }

  /** Whether each rule alone grants its role to the account. */
  async granted(account: string, ...rules: object[]): Promise<unknown> {
    const { body } = await this.check({
      account,
      rules: rules.map((rule, index) => ({ roleId: String(index), ...rule })),
    });
    const { roles } = body as { roles?: { granted: boolean }[] };
    return roles?.map(({ granted }) => granted) ?? body;
  }

  /** The code of each rule for the account, and what it holds where that is known. */
  async explained(account: string, ...rules: object[]): Promise<unknown> {
    const { body } = await this.check({ account, rules }, { Prefer: 'explain' });
    const { explanations } = body as { explanations?: { code: string; held?: string }[] };
    return explanations?.map(({ code, held }) => (held === undefined ? code : `${code} ${held}`)) ?? body;
  }

  async stop(): Promise<void> {
    await Promise.all([this.app, ...this.others].map((app) => app.stop()));
    await this.database.drop();
  }
}

const freshPorts = async (): Promise<Record<string, string>> => ({
  PORT: String(await freePort()),
  MANAGEMENT_PORT: String(await freePort()),
});
