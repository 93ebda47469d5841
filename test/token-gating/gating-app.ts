import { PRINCIPAL_HEADER, PrincipalIssuer, type InternalSigningKey, type Principal } from '@app/auth';
import { makeSecrets } from '../../scripts/local/secrets.mjs';
import { freePort } from '../../scripts/local/ports.mjs';
import { type RunningApp, runningApp } from '../support/running-app.js';

export const client: Principal = {
  kind: 'caller',
  client: { id: 'client_1', ownerId: 'owner_1', plan: 'free' },
  scopes: ['token-gating'],
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Its JSON body. */
  readonly body: unknown;
}

/** The built app alone, reached as the gateway reaches it. */
export class GatingApp {
  private constructor(
    readonly app: RunningApp,
    private readonly issuer: PrincipalIssuer,
  ) {}

  static async start(env: Record<string, string>): Promise<GatingApp> {
    const { signing, keySet } = makeSecrets(['gateway', 'token-gating']);
    const app = await runningApp('token-gating', {
      NODE_ENV: 'test',
      PORT: String(await freePort()),
      MANAGEMENT_PORT: String(await freePort()),
      SHUTDOWN_DELAY_MS: '0',
      INTERNAL_KEYS: JSON.stringify(keySet),
      ...env,
    });
    return new GatingApp(app, new PrincipalIssuer(signing['gateway'] as InternalSigningKey));
  }

  async request(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.app.url + path, {
      method,
      body,
      headers: {
        [PRINCIPAL_HEADER]: await this.issuer.tokenFor(client, 'token-gating'),
        'Content-Type': 'application/json',
        ...headers,
      },
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  check(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('POST', '/access-control/check-roles', JSON.stringify(body), headers);
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

  async stop(): Promise<void> {
    await this.app.stop();
  }
}
