import { join } from 'node:path';
import { LOCAL_CHAIN_ID, startAnvil } from './anvil.mjs';
import { appEnvironment } from './app-environment.mjs';
import { startApps, untilReady } from './app-processes.mjs';
import { build } from './build.mjs';
import { ensureDatabase } from './database.mjs';
import { demoAccounts } from './demo-accounts.mjs';
import { demoAsyncChecks } from './demo-async-checks.mjs';
import { demoCommunity } from './demo-community.mjs';
import { startDemoBot } from './demo-account-kit.mjs';
import { createDemoClient, ensureDemo, keepDemo, keepExamples } from './demo-client.mjs';
import { deployAccountContracts } from './deploy-account-contracts.mjs';
import { deployDemoContracts } from './demo-contracts.mjs';
import { deployRuleTypeDemo } from './demo-rule-types.mjs';
import { forgetLostBlocks } from './forget-lost-blocks.mjs';
import { importDemoHistory } from './import-demo-history.mjs';
import { install, whyInstall } from './dependencies.mjs';
import { watchLog } from './log-watch.mjs';
import { migrate } from './migrations.mjs';
import { placePostgres } from './postgres-place.mjs';
import { startPostgres } from './postgres-server.mjs';
import { local, root } from './project.mjs';
import { startReceiver } from './receiver.mjs';
import { DEMO_COLLECTION, startOpenSea } from './open-sea/start.mjs';
import { DEMO_PLATFORM_TOKENS, startPlatforms } from './platforms/start.mjs';
import { SOLANA_CHAIN_ID, startSolanaCluster } from './solana/start-cluster.mjs';
import { loadSecrets } from './secrets.mjs';
import { testWallet } from './test-wallet.mjs';

/** The steps from a fresh clone to a suite that answers. */
export async function bringUp({ children, progress, lock, running, apps, ports, gatewayUrl }) {
  await prepareDependencies({ children, progress });
  await prepareBuild({ children, progress });
  const { databaseUrl, postgres } = await database({ children, progress, port: ports.postgres });
  lock.update({ databaseUrl });
  await progress.step('Migrations', () => migrate(children, root, databaseUrl));
  const { rpcUrl, tokens, ruleTypes, accountContracts, accounts } = await chain({
    children,
    progress,
    running,
    port: ports.anvil,
    databaseUrl,
  });
  const { sponsor, ...solana } = await solanaCluster({ children, progress, port: ports.solana });
  const openSea = process.env.OPENSEA_API_KEY
    ? {}
    : startOpenSea({ children, port: ports.openSea, holder: accounts.holder.address });
  const platforms = process.env.PLATFORM_CHAT_URL ? {} : startPlatforms({ children, port: ports.platforms });

  const secrets = loadSecrets(local);
  const extra = {
    [`RPC_URL_${LOCAL_CHAIN_ID}`]: rpcUrl,
    [`RPC_URL_${SOLANA_CHAIN_ID}`]: solana.rpcUrl,
    ...(process.env[`RPC_URL_${SOLANA_CHAIN_ID}`] ? {} : { [`SOLANA_CORE_${SOLANA_CHAIN_ID}`]: 'rpc' }),
    PUBLIC_RPC: 'on',
    ACCOUNT_KIT_CHAINS: String(LOCAL_CHAIN_ID),
    EXAMPLE_VALUES_FILE: join(local, 'examples.json'),
    WATCHED_TOKENS: JSON.stringify([{ chainId: LOCAL_CHAIN_ID, contractAddress: tokens.erc20 }]),
    // The demo holder approves client applications in the portal.
    OPERATOR_ACCOUNTS: `eip155:${LOCAL_CHAIN_ID}:${accounts.holder.address}`,
    ...testWallet({ rpcUrl, accounts }),
    ...openSea,
    ...platforms,
    EXECUTOR_KEYS: accounts.executor.privateKey,
    [`PAYMASTER_${LOCAL_CHAIN_ID}`]: `${accountContracts.paymaster08},0.7:${accountContracts.paymaster07}`,
    PAYMASTER_SIGNER_KEY: accounts.paymasterSigner.privateKey,
    ...sponsor,
    DEFAULT_POLICY: 'open',
  };
  const environment = (app) =>
    appEnvironment({ app, apps, databaseUrl, publicUrl: gatewayUrl, secrets, extra });
  await progress.step('Apps', async () => {
    const started = startApps({ children, root, apps, environment });
    // The database outlives the apps even when nobody is left to end them in order.
    postgres?.process.send({ users: started.flatMap(({ child }) => child.processes) });
    for (const { name, child } of started) running.onEnd.push(watchLog(name, child.logFile, progress.say));
    await untilReady(started);
  });

  const receiverUrl = await startReceiver({ children, root, gatewayUrl, port: ports.receiver });
  const identity = apps.find(({ name }) => name === 'identity');
  const demo = await progress.step('Demo client', () =>
    ensureDemo({
      facts: {
        gatewayUrl,
        chainId: LOCAL_CHAIN_ID,
        rpcUrl,
        tokens,
        ...ruleTypes,
        openSeaCollection: DEMO_COLLECTION,
        holder: accounts.holder,
        outsider: accounts.outsider,
        accountKit: DEMO_PLATFORM_TOKENS,
        solana,
        receiverUrl,
        queue: {
          redisUrl: process.env.REDIS_URL ?? '',
          databaseUrl: process.env.QUEUE_DATABASE_URL || databaseUrl,
        },
      },
      create: () => createDemoClient(children, root, environment(identity)),
      local,
    }),
  );
  const checks = await progress.step('Demo checks', () => demoAsyncChecks(demo));
  const community = await progress.step('Demo community', () => demoCommunity(demo));
  const analytics = environment(apps.find(({ name }) => name === 'analytics'));
  await progress.step('Demo history', () =>
    importDemoHistory({ children, root, local, env: analytics, demo, communityId: community.communityId }),
  );
  const bot = process.env.PLATFORM_CHAT_URL ? {} : await progress.step('Demo bot', () => startDemoBot(demo));
  const whole = { ...demo, ...checks, ...community, ...bot };
  keepDemo(local, whole);
  keepExamples(local, whole);
  return { demo: whole, hasTestWallet: Boolean(environment(identity).TEST_WALLET) };
}

/** Installs what package-lock.json asks for, if anything is missing. */
export async function prepareDependencies({ children, progress }) {
  const why = whyInstall(root);
  if (why !== undefined) await progress.step(`Dependencies (${why})`, () => install(children, root));
}

export const prepareBuild = ({ children, progress }) => progress.step('Build', () => build(children, root));

async function database({ children, progress, port }) {
  if (process.env.DATABASE_URL) return { databaseUrl: process.env.DATABASE_URL };
  return progress.step('PostgreSQL', async () => {
    const place = placePostgres(root, join(local, 'postgres'));
    const { child, adminUrl, password } = await startPostgres({ children, place, port });
    return { databaseUrl: await ensureDatabase(adminUrl, password), postgres: child };
  });
}

async function chain({ children, progress, running, port, databaseUrl }) {
  const accounts = await demoAccounts();
  const given = process.env[`RPC_URL_${LOCAL_CHAIN_ID}`]?.split(',')[0];
  return progress.step('Local chain', async () => {
    const anvil = given ? { rpcUrl: given } : await startAnvil({ children, root, local, port });
    if (!given && (await forgetLostBlocks({ databaseUrl, rpcUrl: anvil.rpcUrl })))
      progress.say('  The local chain has lost blocks: the user operations on it are deleted.');
    const tokens = await deployDemoContracts({ rpcUrl: anvil.rpcUrl, root, accounts });
    const { erc20 } = tokens;
    const ruleTypes = await deployRuleTypeDemo({ rpcUrl: anvil.rpcUrl, root, accounts, erc20 });
    const accountContracts = await deployAccountContracts({ rpcUrl: anvil.rpcUrl, root, accounts });
    running.keepChain = anvil.keepState;
    return { rpcUrl: anvil.rpcUrl, tokens, ruleTypes, accountContracts, accounts };
  });
}

function solanaCluster({ children, progress, port }) {
  const given = process.env[`RPC_URL_${SOLANA_CHAIN_ID}`]?.split(',')[0];
  return progress.step('Local Solana cluster', async () => {
    // Its packages are installed by now.
    const { createDemoWallet, describeDemoSolana } = await import('./solana/demo-accounts.mjs');
    const rpcUrl = given ?? (await startSolanaCluster({ children, port }));
    // On another cluster than the local one the demo's sponsor has no coins.
    const sponsor = given
      ? {}
      : { SOLANA_SPONSOR_KEY_SOL_DEVNET: (await createDemoWallet('sponsor')).privateKey };
    return { rpcUrl, chainId: SOLANA_CHAIN_ID, sponsor, ...(await describeDemoSolana()) };
  });
}
