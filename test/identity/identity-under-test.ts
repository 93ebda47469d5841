import { PRINCIPAL_HEADER, type Principal, PrincipalIssuer, type InternalSigningKey } from '@app/auth';
import { appEnvironment } from '../../scripts/suite/app-environment.mjs';
import { apps as allApps } from '../../scripts/suite/apps.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { checkDeclared } from '../support/declared-answers.js';
import { operationOf } from '../support/operation-of.js';

export const GATEWAY_ITSELF: Principal = { kind: 'service', name: 'gateway' };

export interface IdentityUnderTest {
  /** Environment of the app and its commands. */
  env: NodeJS.ProcessEnv;
  /** An app's private key, to sign invalid tokens. */
  signingKey: (issuer: string) => InternalSigningKey;
  /** A principal token signed by `issuer`. */
  tokenFor: (principal: Principal, issuer?: string, audience?: string, operation?: string) => Promise<string>;
  get: (path: string, principal: Principal) => Promise<Response>;
  post: (path: string, principal: Principal, body: unknown) => Promise<Response>;
  /** Sends a request with any method; without a body when there is none. */
  request: (method: string, path: string, principal: Principal, body?: unknown) => Promise<Response>;
}

async function onFreePort(app: (typeof allApps)[number] | undefined) {
  if (!app) throw new Error('an app is missing');
  return { ...app, port: await freePort() };
}

/** The configuration of one identity service, and requests to it as the gateway sends them. */
export async function identityUnderTest(
  databaseUrl: string,
  more: Record<string, string> = {},
): Promise<IdentityUnderTest> {
  const [app, ...others] = ['identity', 'token-gating', 'gateway', 'account-kit', 'analytics'].map((wanted) =>
    allApps.find(({ name }) => name === wanted),
  );
  if (!app) throw new Error('identity is missing');
  const own = { ...app, port: await freePort(), managementPort: await freePort() };
  const secrets = makeSecrets(allApps.map(({ name }) => name));
  const env = appEnvironment({
    app: own,
    // No other app listens unless a test overrides its URL.
    apps: [own, ...(await Promise.all(others.map(onFreePort)))],
    databaseUrl,
    publicUrl: 'http://localhost:3000',
    secrets,
    env: { NODE_ENV: 'production', ...more },
  });
  const signingKey = (issuer: string) => secrets.signing[issuer] as InternalSigningKey;
  const tokenFor: IdentityUnderTest['tokenFor'] = (
    principal,
    issuer = 'gateway',
    audience = 'identity',
    operation,
  ) => new PrincipalIssuer(signingKey(issuer)).issueToken(principal, audience, operation);
  const url = (path: string) => `http://127.0.0.1:${String(own.port)}${path}`;
  const headers = async (method: string, path: string, principal: Principal) => ({
    [PRINCIPAL_HEADER]: await tokenFor(principal, 'gateway', 'identity', operationOf(method, path)),
    'content-type': 'application/json',
  });
  const request: IdentityUnderTest['request'] = async (method, path, principal, body) => {
    const response = await fetch(url(path), {
      method,
      headers: await headers(method, path, principal),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.clone().text();
    checkDeclared(method, path, response.status, text);
    return response;
  };
  return {
    env,
    signingKey,
    tokenFor,
    get: (path, principal) => request('GET', path, principal),
    post: (path, principal, body) => request('POST', path, principal, body),
    request,
  };
}
