import { LOCAL_CHAIN_ID } from '../chain/anvil.mjs';
import { startDemoBot } from './demo-account-kit.mjs';
import { demoAsyncChecks } from './demo-async-checks.mjs';
import { checkDemoTree, demoTree } from './demo-check.mjs';
import { createDemoClient, ensureDemo, keepDemo, keepExamples } from './demo-client.mjs';
import { demoCommunity } from './demo-community.mjs';
import { demoCredential } from './demo-credential.mjs';
import { deployDemoContracts } from './demo-contracts.mjs';
import { deployEnsDemo, nameDemoHolder } from './demo-names.mjs';
import { deployRuleTypeDemo } from './demo-rule-types.mjs';
import { importDemoHistory } from './import-demo-history.mjs';
import { DEMO_COLLECTION, startOpenSea } from './open-sea/start.mjs';
import { DEMO_PLATFORM_TOKENS, demoDiscord, demoTelegram, startPlatforms } from './platforms/start.mjs';
import { local, root } from '../build/project.mjs';
import { startReceiver } from './receiver.mjs';

/** @import { Children } from '../processes/children.mjs' */
/** @import { DemoAccounts } from './demo-accounts.mjs' */
/** @import { Progress } from '../processes/progress.mjs' */
/** @typedef {Awaited<ReturnType<typeof deployDemoContracts>>} DemoTokens */
/** @typedef {{ rpcUrl: string, accounts: DemoAccounts } & Awaited<ReturnType<typeof deployDemo>>} DemoChain */

/**
 * Puts on the local chain what the demo's rules and names are read from; what is there already stays.
 * @param {{ rpcUrl: string, accounts: DemoAccounts }} options
 */
export async function deployDemo({ rpcUrl, accounts }) {
  const tokens = await deployDemoContracts({ rpcUrl, root, accounts });
  const ruleTypes = await deployRuleTypeDemo({ rpcUrl, root, accounts, erc20: tokens.erc20 });
  const ens = await deployEnsDemo({ rpcUrl, root, accounts });
  return { tokens, ruleTypes, ens };
}

/**
 * Starts a stand-in of each service outside that the user's own settings do not name.
 * @param {{ children: Children, ports: { openSea: number, platforms: number }, accounts: DemoAccounts, tokens: DemoTokens, ens: Record<string, string> }} options
 * @returns {Record<string, string>} what the demo adds to the configuration of the apps
 */
export function prepareDemo({ children, ports, accounts, tokens, ens }) {
  const openSea = process.env.OPENSEA_API_KEY
    ? {}
    : startOpenSea({ children, port: ports.openSea, holder: accounts.holder.address });
  const platforms = process.env.PLATFORM_CHAT_URL ? {} : startPlatforms({ children, port: ports.platforms });
  const WATCHED_TOKENS = JSON.stringify([{ chainId: LOCAL_CHAIN_ID, contractAddress: tokens.erc20 }]);
  const OWN_COLLECTIONS = JSON.stringify(listDemoCollections(tokens));
  return { WATCHED_TOKENS, OWN_COLLECTIONS, ...ens, ...openSea, ...platforms };
}

/** What the rule builder finds by name. It suggests the badge alone, because the page "Test wallet" sells no other token. @param {DemoTokens} tokens */
const listDemoCollections = ({ erc721, erc20, erc1155 }) => [
  {
    ...{ name: 'Gatehouse Demo Badge', chainId: LOCAL_CHAIN_ID, address: erc721 },
    ...{ aliases: ['GDB', 'Badge', 'Badges'], isSuggested: true },
  },
  {
    ...{ name: 'Gatehouse Demo Coin', chainId: LOCAL_CHAIN_ID, address: erc20 },
    aliases: ['GDC'],
  },
  { name: 'Gatehouse Demo Items', chainId: LOCAL_CHAIN_ID, address: erc1155 },
];

/**
 * Gives the running apps a client application, a community with a past and a bot, and asks them what the banner shows.
 * @param {object} options
 * @param {Children} options.children
 * @param {Progress} options.progress
 * @param {{ receiver: number, platforms: number }} options.ports
 * @param {string} options.gatewayUrl
 * @param {string} options.databaseUrl
 * @param {DemoChain} options.chain
 * @param {{ rpcUrl: string, chainId: number }} options.solana
 * @param {(app: string) => NodeJS.ProcessEnv} options.environment
 * @returns {Promise<import('./demo-client.mjs').Demo>} also in demo.json by then
 */
export async function fillDemo({
  children,
  progress,
  ports,
  gatewayUrl,
  databaseUrl,
  chain,
  solana,
  environment,
}) {
  const { rpcUrl, accounts, tokens, ruleTypes } = chain;
  const receiverUrl = await startReceiver({ children, root, gatewayUrl, port: ports.receiver });
  const { describeDemoSolana } = await import('../chain/solana/demo-accounts.mjs');
  const { QUEUE_DATABASE_URL = '' } = process.env;
  const facts = {
    gatewayUrl,
    chainId: LOCAL_CHAIN_ID,
    rpcUrl,
    tokens,
    ...ruleTypes,
    tree: demoTree({ chainId: LOCAL_CHAIN_ID, tokens }),
    openSeaCollection: DEMO_COLLECTION,
    holder: accounts.holder,
    outsider: accounts.outsider,
    chatter: accounts.chatter,
    accountKit: DEMO_PLATFORM_TOKENS,
    telegram: demoTelegram(ports.platforms),
    discord: demoDiscord(ports.platforms),
    solana: { ...solana, ...(await describeDemoSolana()) },
    receiverUrl,
    queue: {
      redisUrl: process.env.REDIS_URL ?? '',
      databaseUrl: QUEUE_DATABASE_URL === '' ? databaseUrl : QUEUE_DATABASE_URL,
    },
  };
  const create = () =>
    createDemoClient(children, root, environment('identity'), { holder: accounts.holder.address });
  const demo = await progress.step('Demo client', () => ensureDemo({ facts, create, local }));
  const checks = await progress.step('Demo checks', async () => {
    await checkDemoTree(demo);
    return demoAsyncChecks(demo);
  });
  const community = await progress.step('Demo community', () => demoCommunity(demo));
  const { communityId, holderId } = community;
  await nameDemoHolder({ databaseUrl, holderId });
  const credential = await progress.step('Demo credential', () => demoCredential(demo, communityId));
  await progress.step('Demo history', () =>
    importDemoHistory({ children, root, local, env: environment('analytics'), demo, communityId }),
  );
  const bot = process.env.PLATFORM_CHAT_URL ? {} : await progress.step('Demo bot', () => startDemoBot(demo));
  const whole = { ...demo, ...checks, ...community, ...credential, ...bot };
  keepDemo(local, whole);
  keepExamples(local, whole);
  return whole;
}
