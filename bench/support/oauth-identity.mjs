import { appEnvironment } from '../../scripts/suite/app-environment.mjs';
import { startApps, untilReady } from '../../scripts/processes/app-processes.mjs';
import { apps as allApps, findApp } from '../../scripts/suite/apps.mjs';
import { createClientCommand } from '../../scripts/demo/demo-client.mjs';
import { migrate } from '../../scripts/postgres/migrations.mjs';
import { importBuilt } from '../../scripts/build/import-built.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { root } from '../../scripts/build/project.mjs';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { startThrowAwayPostgres } from '../../scripts/postgres/throw-away-postgres.mjs';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { oauthDriver } from './oauth-driver.mjs';
import { first } from './table.mjs';

/** @import { Children } from '../../scripts/processes/children.mjs' */
/** @import { App } from '../../scripts/suite/apps.mjs' */
/** @import { OauthDriver } from './oauth-driver.mjs' */

const run = promisify(execFile);
const PUBLIC_URL = 'http://localhost:3000';
const ANONYMOUS = /** @type {const} */ ({ kind: 'anonymous' });

/** Identity alone, asked as the gateway asks it, with a client application and a user who is signed in. @param {Children} children @param {number} connections */
export async function startIdentity(children, connections) {
  const databaseUrl = await startThrowAwayPostgres(children, root);
  await migrate(children, root, databaseUrl);
  /** @type {App[]} */
  const apps = [];
  for (const app of allApps) apps.push({ ...app, port: await freePort(), managementPort: await freePort() });
  const secrets = makeSecrets(apps.map(({ name }) => name));
  const identity = findApp(apps, 'identity');
  const env = { PATH: process.env.PATH, NODE_OPTIONS: process.env.APP_NODE_OPTIONS ?? '' };
  const extra = { NODE_ENV: 'production' };
  /** @param {App} app */
  const environment = (app) =>
    appEnvironment({ app, apps, databaseUrl, publicUrl: PUBLIC_URL, secrets, extra, env });
  const started = first(startApps({ children, root, apps: [identity], environment }));
  await untilReady([started]);
  const client = await createClient(environment(identity));
  const headersFor = await principalHeaders(secrets);
  const url = `http://127.0.0.1:${identity.port}`;
  const driver = oauthDriver({ url, ...client, connections, headersFor });
  await signIn(driver);
  return { driver, managementPort: identity.managementPort, stop: () => children.stop(started.child) };
}

/** @param {NodeJS.ProcessEnv} env */
async function createClient(env) {
  const limits = ['--requests-per-second', '1000000', '--requests-per-month', '1000000000'];
  const flags = ['--name', 'bench', '--plan', 'enterprise', ...limits, '--scopes', 'token-gating,user:read'];
  const args = ['create', ...flags, '--redirect-uris', 'https://app.example/cb', '--json'];
  const { stdout } = await run(process.execPath, [createClientCommand(root), ...args], { env });
  const line = first(stdout.split('\n').filter((text) => text.startsWith('{')));
  return /** @type {{ clientId: string, clientSecret: string }} */ (JSON.parse(line));
}

/** @param {ReturnType<typeof makeSecrets>} secrets */
async function principalHeaders({ signing }) {
  const { gateway } = signing;
  if (gateway === undefined) throw new Error('The gateway has no key');
  const { PrincipalIssuer, PRINCIPAL_HEADER } = /** @type {typeof import('@app/auth')} */ (
    await importBuilt('libs/auth/src/index.js')
  );
  const issuer = new PrincipalIssuer(
    /** @type {ConstructorParameters<typeof PrincipalIssuer>[0]} */ (gateway),
  );
  /** @type {[RegExp, string][]} */
  const operations = [
    [/^\/oauth2\/token$/, 'OAuth2Controller.token'],
    [/^\/oauth2\/authorize$/, 'OAuth2Controller.authorize'],
    [/^\/oauth2\/authorize\/./, 'AuthorizationController.resume'],
    [/^\//, 'pages'],
  ];
  /** @param {string} _method @param {string} path @returns {Promise<Record<string, string>>} */
  return async (_method, path) => {
    const [, operation] = first(operations.filter(([pattern]) => pattern.test(path)));
    return { [PRINCIPAL_HEADER]: await issuer.issueToken(ANONYMOUS, 'identity', operation) };
  };
}

/** A wallet signs, and the user allows the application what it asks for. @param {OauthDriver} driver */
async function signIn({ open, authorizePath }) {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const accountId = `eip155:1:${wallet.address}`;
  /** @param {{ text: string }} page */
  const csrfOf = ({ text }) => /csrf"? ?(?:value)?="([^"]+)"/.exec(text)?.[1] ?? '';
  const csrf = csrfOf(await open('GET', '/login'));
  const json = { 'content-type': 'application/json', origin: PUBLIC_URL };
  /** @param {string} path @param {object} body */
  const post = (path, body) => open('POST', path, { headers: json, body: JSON.stringify({ csrf, ...body }) });
  const { text: challenge } = await post('/login/challenges', { accountId });
  const { requestId, message } = /** @type {{ requestId: string, message: string }} */ (
    JSON.parse(challenge)
  );
  const signature = await wallet.signMessage({ message });
  await post('/login/sessions', { requestId, accountId, signatureType: 'eip191', signature });
  let path = authorizePath('x'.repeat(43));
  for (let answer = await open('GET', path); ; answer = await open('GET', path)) {
    if (answer.headers.location === undefined) break;
    const { pathname, search } = new URL(answer.headers.location.toString(), PUBLIC_URL);
    path = pathname + search;
  }
  const form = { csrf: csrfOf(await open('GET', path)), decision: 'grant', 'scope.user:read': 'on' };
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: PUBLIC_URL };
  const { text } = await open('POST', path, { headers, body: new URLSearchParams(form).toString() });
  await open('GET', new URL(/; url=([^"]+)"/.exec(text)?.[1] ?? '').pathname);
}
