import { appEnvironment } from '../../scripts/suite/app-environment.mjs';
import { apps as allApps, type App } from '../../scripts/suite/apps.mjs';
import { makeSecrets, type Secrets } from '../../scripts/suite/secrets.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { clientCommand, createClient, type Client, type ClientOptions } from './create-client.js';
import { freshDatabase } from './fresh-database.js';
import { lease } from './lease.js';
import { runningApp, type RunningApp, spawnApp, type Stdout } from './running-app.js';
import { storeRsaKey } from './store-rsa-key.js';

export type OptionalApp = 'account-kit' | 'analytics';

export interface SuiteOptions {
  /** Started beside gateway, identity and token-gating. */
  with?: OptionalApp[];
  /** Apps that are not started: the test starts instances of its own with `another`. */
  without?: ('token-gating' | 'gateway' | 'account-kit')[];
  /** RPC URLs by chain id. */
  rpcUrls?: Record<number, string>;
  /** A host of this machine where users log in, when it is another than the one that clients ask: `AUTH_URL`. */
  loginHost?: string;
  /** The program of an app, when it is another than its bundle. */
  entryOf?: (name: string) => string;
  /** Configuration that is added, for every app. */
  env?: Record<string, string>;
}

export interface RunningSuite {
  gatewayUrl: string;
  databaseUrl: string;
  /** What every app of this run believes; for tests that sign principal tokens themselves. */
  secrets: Secrets;
  app: (name: string) => RunningApp;
  createClient: (options?: ClientOptions) => Promise<Client>;
  /** The operator's command: `['revoke-key', apiKey]`. */
  clientCommand: (args: string[]) => Promise<string>;
  /** Starts a further replica of the gateway, ended with the suite. */
  anotherGateway: () => Promise<RunningApp>;
  /** Starts a further instance of any app, with more configuration, ended with the suite. */
  another: (name: string, env?: Record<string, string>, stdout?: Stdout) => Promise<RunningApp>;
  /** The same without waiting until it is ready. */
  spawnAnother: (name: string, env?: Record<string, string>) => Promise<RunningApp>;
  /** Ends the apps and drops the database. @returns exit codes by app */
  stop: () => Promise<Record<string, number | null>>;
}

/** Runs the suite behind one gateway, on ports and in a database of its own. */
export async function runningSuite(options: SuiteOptions = {}): Promise<RunningSuite> {
  const names = ['identity', 'token-gating', ...(options.with ?? []), 'gateway'];
  const wanted = names.filter((name) => !options.without?.some((one) => one === name));
  // The gateway knows an address of every app, also of those that are down in this run.
  const apps = await onFreePorts(allApps.map(({ name }) => name));
  const database = await freshDatabase(...names);
  const secrets = makeSecrets(allApps.map(({ name }) => name));
  await storeRsaKey(database.url, secrets.tokenKeySecret);
  const gateway = find(apps, 'gateway');
  const gatewayUrl = `http://127.0.0.1:${String(gateway.port)}`;
  const { loginHost } = options;
  const logins = loginHost === undefined ? {} : { AUTH_URL: `http://${loginHost}:${String(gateway.port)}` };
  const environment = (app: App): NodeJS.ProcessEnv =>
    appEnvironment({
      app,
      apps,
      databaseUrl: database.url,
      publicUrl: gatewayUrl,
      secrets,
      env: { NODE_ENV: 'test', ...logins, ...rpcVariables(options.rpcUrls ?? {}), ...options.env },
    });
  const started: RunningApp[] = [];
  const stop = async () => {
    const codes: Record<string, number | null> = {};
    const end = (some: RunningApp[]) =>
      Promise.all(some.map(async (app) => (codes[app.name] = await app.stop())));
    await end(started.filter(({ name }) => name === 'gateway'));
    await end(started.filter(({ name }) => name !== 'gateway'));
    await database.drop();
    return codes;
  };
  try {
    const behind = apps.filter((app) => app !== gateway && wanted.includes(app.name));
    const outcomes = await Promise.allSettled(
      behind.map((app) => runningApp(app.name, environment(app), options.entryOf?.(app.name))),
    );
    started.push(...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    if (wanted.includes('gateway'))
      started.push(await runningApp('gateway', environment(gateway), options.entryOf?.('gateway')));
  } catch (error) {
    await stop();
    throw error;
  }
  const keep = (app: RunningApp): RunningApp => {
    started.push(app);
    return app;
  };
  const replica = async (name: string, env: Record<string, string>): Promise<NodeJS.ProcessEnv> => {
    const [port, managementPort] = [await freePort(), await freePort()];
    return { ...environment({ ...find(apps, name), port, managementPort }), ...env };
  };
  const another: RunningSuite['another'] = async (name, env = {}, stdout) =>
    keep(await runningApp(name, await replica(name, env), undefined, stdout));
  return {
    gatewayUrl,
    databaseUrl: database.url,
    secrets,
    app: (name) => find(started, name),
    createClient: (clientOptions) => createClient(environment(find(apps, 'identity')), clientOptions),
    clientCommand: (args) => clientCommand(environment(find(apps, 'identity')), args),
    anotherGateway: () => another('gateway'),
    another,
    spawnAnother: async (name, env = {}) => keep(spawnApp(name, await replica(name, env))),
    stop,
  };
}

/** The suite of this configuration that test files share. */
export function leaseSuite(options: SuiteOptions = {}): Promise<RunningSuite> {
  return lease('suite', options, runningSuite);
}

/** All apps, with a chain, a node and a platform that nothing answers at. */
export function leaseEveryApp(): Promise<RunningSuite> {
  const nowhere = 'http://127.0.0.1:1';
  return leaseSuite({
    with: ['account-kit', 'analytics'],
    rpcUrls: { 1: nowhere, 31337: nowhere },
    env: { ACCOUNT_KIT_CHAINS: '31337', PLATFORM_CHAT_URL: nowhere },
  });
}

async function onFreePorts(names: string[]): Promise<App[]> {
  const apps: App[] = [];
  for (const app of allApps.filter(({ name }) => names.includes(name)))
    apps.push({ ...app, port: await freePort(), managementPort: await freePort() });
  return apps;
}

function rpcVariables(urls: Record<number, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(urls).map(([chainId, url]) => [`RPC_URL_${chainId}`, url]));
}

function find<T extends { name: string }>(all: T[], name: string): T {
  const found = all.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not part of this run`);
  return found;
}
