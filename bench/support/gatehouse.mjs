import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from '../../scripts/chain/anvil.mjs';
import { appEnvironment } from '../../scripts/suite/app-environment.mjs';
import { deploymentV8Flags, startApps, untilReady } from '../../scripts/processes/app-processes.mjs';
import { apps as allApps, findApp } from '../../scripts/suite/apps.mjs';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { createDemoClient } from '../../scripts/demo/demo-client.mjs';
import { deployDemoContracts } from '../../scripts/demo/demo-contracts.mjs';
import { migrate } from '../../scripts/postgres/migrations.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { root } from '../../scripts/build/project.mjs';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { startThrowAwayPostgres } from '../../scripts/postgres/throw-away-postgres.mjs';

/** @import { App } from '../../scripts/suite/apps.mjs' */
/** @import { Children } from '../../scripts/processes/children.mjs' */
/** @import { DemoAccounts } from '../../scripts/demo/demo-accounts.mjs' */
/** @typedef {Awaited<ReturnType<typeof startGatehouse>>} Gatehouse */

/**
 * The suite as a deployment runs it (production, logs on), on free ports, with data that nobody keeps.
 * @param {Children} children
 * @param {Record<string, string>} [more] environment of all apps
 * @param {(chain: { rpcUrl: string, root: string, accounts: DemoAccounts }) => Promise<unknown>} [prepareChain] before the apps start
 */
export async function startGatehouse(children, more = {}, prepareChain = () => Promise.resolve()) {
  const databaseUrl = await startThrowAwayPostgres(children, root);
  await migrate(children, root, databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const { rpcUrl } = await startAnvil({ children, root, local: folder, port: await freePort() });
  const accounts = await demoAccounts();
  const tokens = await deployDemoContracts({ rpcUrl, root, accounts });
  await prepareChain({ rpcUrl, root, accounts });

  /** @type {App[]} */
  const apps = [];
  for (const app of allApps) apps.push({ ...app, port: await freePort(), managementPort: await freePort() });
  const gatewayUrl = `http://127.0.0.1:${findApp(apps, 'gateway').port}`;
  const secrets = makeSecrets(apps.map(({ name }) => name));
  const extra = {
    NODE_ENV: 'production',
    ACCOUNT_KEY_VAULT: 'local',
    RPC_URL_31337: rpcUrl,
    ...more,
  };
  // APP_NODE_OPTIONS='--import /path/to/a/profiler.mjs' looks inside the apps.
  const appEnv = { PATH: process.env.PATH, NODE_OPTIONS: process.env.APP_NODE_OPTIONS ?? '' };
  /** @param {App} app */
  const environment = (app) =>
    appEnvironment({ app, apps, databaseUrl, publicUrl: gatewayUrl, secrets, extra, env: appEnv });
  const nodeOptions = () => deploymentV8Flags;
  const started = startApps({ children, root, apps, environment, nodeOptions });
  await untilReady(started);
  const identity = findApp(apps, 'identity');
  const createClient = () =>
    createDemoClient(children, root, environment(identity), {
      requestsPerSecond: 1_000_000,
      requestsPerMonth: 1_000_000_000,
    });
  const { apiKey, clientId } = await createClient();
  const stop = () => Promise.all(started.map(({ child }) => children.stop(child)));
  /** @param {string[]} names of apps @returns {Record<string, number | undefined>} the ids of their processes */
  const processes = (names) =>
    Object.fromEntries(
      names.map((name) => [name, started.find((app) => app.name === name)?.child.process.pid]),
    );
  return {
    gatewayUrl,
    apiKey,
    clientId,
    databaseUrl,
    tokens,
    accounts,
    rpcUrl,
    started,
    createClient,
    processes,
    stop,
  };
}
