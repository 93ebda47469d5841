import { join } from 'node:path';
import { LOCAL_CHAIN_ID, startAnvil } from '../chain/anvil.mjs';
import { appEnvironment } from './app-environment.mjs';
import { createAppRunner } from '../processes/app-runner.mjs';
import { findApp } from './apps.mjs';
import { build } from '../build/build.mjs';
import { ensureDatabase } from '../postgres/database.mjs';
import { demoAccounts } from '../demo/demo-accounts.mjs';
import { deployDemo, fillDemo, prepareDemo } from '../demo/demo.mjs';
import { deployAccountContracts } from '../chain/deploy-account-contracts.mjs';
import { writeEnvironmentFiles } from './environment-files.mjs';
import { forgetLostBlocks } from '../chain/forget-lost-blocks.mjs';
import { install, whyInstall } from '../build/dependencies.mjs';
import { migrate } from '../postgres/migrations.mjs';
import { installMulticall3 } from '../chain/multicall.mjs';
import { placePostgres } from '../postgres/postgres-place.mjs';
import { startPostgres } from '../postgres/postgres-server.mjs';
import { local, root } from '../build/project.mjs';
import { SOLANA_CHAIN_ID, startSolanaCluster } from '../chain/solana/start-cluster.mjs';
import { loadSecrets } from './secrets.mjs';
import { testWallet } from '../demo/test-wallet.mjs';

/** @import { App } from './apps.mjs' */
/** @import { Child, Children } from '../processes/children.mjs' */
/** @import { PortPlan } from './port-plan.mjs' */
/** @import { Progress } from '../processes/progress.mjs' */
/** @import { RunLock } from '../processes/run-lock.mjs' */
/** @typedef {{ children: Children, progress: Progress }} Tools what a step works with */
/** @typedef {{ onEnd: (() => void)[], keepChain?: () => Promise<void>, watch?: { stop: () => void } }} Running what the end of a run has to end */

/**
 * The steps from a fresh clone to a suite that answers.
 * @param {Tools & { lock: RunLock, running: Running, apps: App[], ports: PortPlan, gatewayUrl: string, hasDemo: boolean, watched: readonly string[] }} about
 * @returns {Promise<{ rpcUrl: string, solanaRpcUrl: string, demo?: import('../demo/demo-client.mjs').Demo, hasTestWallet: boolean,
 *   runner: ReturnType<typeof createAppRunner> }>}
 */
export async function bringUp(about) {
  const { children, progress, lock, running, apps, ports, gatewayUrl, hasDemo, watched } = about;
  await prepareDependencies({ children, progress });
  await prepareBuild({ children, progress });
  const { databaseUrl, postgres } = await database({ children, progress, port: ports.postgres });
  lock.update({ databaseUrl });
  await progress.step('Migrations', () => migrate(children, root, databaseUrl));
  const onChain = await chain({ children, progress, running, port: ports.anvil, databaseUrl, hasDemo });
  const { rpcUrl, accounts, accountContracts } = onChain;
  const { sponsor, ...solana } = await solanaCluster({ children, progress, port: ports.solana });
  const { demo: demoOnChain } = onChain;
  const demoSettings = demoOnChain ? prepareDemo({ children, ports, accounts, ...demoOnChain }) : {};

  const secrets = loadSecrets(local);
  const extra = {
    [`RPC_URL_${LOCAL_CHAIN_ID}`]: rpcUrl,
    [`RPC_URL_${SOLANA_CHAIN_ID}`]: solana.rpcUrl,
    ...(process.env[`RPC_URL_${SOLANA_CHAIN_ID}`] ? {} : { [`SOLANA_CORE_${SOLANA_CHAIN_ID}`]: 'rpc' }),
    PUBLIC_RPC: 'on',
    ACCOUNT_KIT_CHAINS: String(LOCAL_CHAIN_ID),
    EXAMPLE_VALUES_FILE: join(local, 'examples.json'),
    // The demo holder approves client applications in the portal.
    OPERATOR_ACCOUNTS: `eip155:${LOCAL_CHAIN_ID}:${accounts.holder.address}`,
    ...testWallet({ rpcUrl, accounts, tokens: demoOnChain?.tokens }),
    ...demoSettings,
    EXECUTOR_KEYS: accounts.executor.privateKey,
    [`PAYMASTER_${LOCAL_CHAIN_ID}`]: `${accountContracts.paymaster08},0.7:${accountContracts.paymaster07}`,
    PAYMASTER_SIGNER_KEY: accounts.paymasterSigner.privateKey,
    ...sponsor,
    DEFAULT_POLICY: 'open',
    PORTAL_COMMUNITIES: 'on',
  };
  /** @param {App} app */
  const environmentOf = (app) =>
    appEnvironment({ app, apps, databaseUrl, publicUrl: gatewayUrl, secrets, extra });
  writeEnvironmentFiles({ local, apps, environmentOf });
  const runner = createAppRunner({ children, root, environmentOf, watched, postgres, say: progress.say });
  running.onEnd.push(() => {
    runner.endLogWatches();
  });
  await progress.step('Apps', () => runner.start(apps));

  /** @param {string} wanted */
  const environment = (wanted) => environmentOf(findApp(apps, wanted));
  const suite = { children, progress, ports, gatewayUrl, databaseUrl, solana, environment };
  const demo = demoOnChain
    ? await fillDemo({ ...suite, chain: { rpcUrl, accounts, ...demoOnChain } })
    : undefined;
  return {
    rpcUrl,
    solanaRpcUrl: solana.rpcUrl,
    demo,
    runner,
    hasTestWallet: Boolean(environment('identity').TEST_WALLET),
  };
}

/** Installs what package-lock.json asks for, if anything is missing. @param {Tools} options */
export async function prepareDependencies({ children, progress }) {
  const why = whyInstall(root);
  if (why !== undefined) await progress.step(`Dependencies (${why})`, () => install(children, root));
}

/** @param {Tools} options */
export const prepareBuild = ({ children, progress }) => progress.step('Build', () => build(children, root));

/** @param {Tools & { port: number }} options @returns {Promise<{ databaseUrl: string, postgres?: Child }>} */
async function database({ children, progress, port }) {
  if (process.env.DATABASE_URL) return { databaseUrl: process.env.DATABASE_URL };
  return progress.step('PostgreSQL', async () => {
    const place = placePostgres(root, join(local, 'postgres'));
    const { child, adminUrl, password } = await startPostgres({ children, place, port });
    return { databaseUrl: await ensureDatabase(adminUrl, password), postgres: child };
  });
}

/** @param {Tools & { running: Running, port: number, databaseUrl: string, hasDemo: boolean }} options */
async function chain({ children, progress, running, port, databaseUrl, hasDemo }) {
  const accounts = await demoAccounts();
  const given = process.env[`RPC_URL_${LOCAL_CHAIN_ID}`]?.split(',')[0];
  return progress.step('Local chain', async () => {
    const anvil = given
      ? { rpcUrl: given, keepState: undefined }
      : await startAnvil({ children, root, local, port });
    if (!given && (await forgetLostBlocks({ databaseUrl, rpcUrl: anvil.rpcUrl })))
      progress.say('  The local chain has lost blocks: the user operations on it are deleted.');
    const { rpcUrl } = anvil;
    await installMulticall3(rpcUrl, root);
    const demo = hasDemo ? await deployDemo({ rpcUrl, accounts }) : undefined;
    const accountContracts = await deployAccountContracts({ rpcUrl, root, accounts });
    running.keepChain = anvil.keepState;
    return { rpcUrl, demo, accountContracts, accounts };
  });
}

/** @param {Tools & { port: number }} options */
function solanaCluster({ children, progress, port }) {
  const given = process.env[`RPC_URL_${SOLANA_CHAIN_ID}`]?.split(',')[0];
  return progress.step('Local Solana cluster', async () => {
    // The cluster's packages are installed by now.
    const { createDemoWallet } = await import('../chain/solana/demo-accounts.mjs');
    const rpcUrl = given ?? (await startSolanaCluster({ children, port }));
    // The demo's sponsor has no coins on another cluster than the local one.
    /** @type {Record<string, string>} */
    const sponsor = given
      ? {}
      : { SOLANA_SPONSOR_KEY_SOL_DEVNET: (await createDemoWallet('sponsor')).privateKey };
    return { rpcUrl, chainId: SOLANA_CHAIN_ID, sponsor };
  });
}
