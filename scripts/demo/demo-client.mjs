import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOf } from '../build/bundle.mjs';
import { LOCAL_CHAIN_ID } from '../chain/anvil.mjs';
import { checkDemo } from './demo-check.mjs';
import { readJsonIfThere, writePrivate } from '../processes/private-file.mjs';

/** The origin of the demo client application: nothing listens there, and no port matters on a loopback host. */
export const DEMO_ORIGIN = 'http://localhost:3006';
const REDIRECT_URI = `${DEMO_ORIGIN}/callback`;
const EXPLORER_REDIRECT_PATH = '/explorer/oauth2-redirect.html';

/** Scopes of the demo client application. */
export const SCOPES = [
  'token-gating',
  'community:analytics',
  'accountkit',
  'openid',
  'offline_access',
  'user:read',
  'user:write',
  'user:wallet:read',
  'user:wallet:write',
  'user:webauthn-credential:read',
  'user:webauthn-credential:write',
  'user:community:read',
  'community:read',
  'community:write',
  'verifiable-credential:read',
  'user:verifiable-credential:read',
  'user:verifiable-credential:write',
];

/**
 * What `.local/demo.json` holds, for scripts.
 * @typedef {object} Demo
 * @property {string} gatewayUrl
 * @property {string} apiKey
 * @property {string} clientId
 * @property {string} clientSecret
 * @property {string} origin of the demo client application: `uri` of its sign-in challenges begins with it
 * @property {string} scopes of the demo client application
 * @property {number} chainId
 * @property {string} rpcUrl
 * @property {{ erc20: string, erc721: string, erc1155: string }} tokens
 * @property {string} safe a Safe that the holder owns
 * @property {string} erc900 a staking contract in which the holder has 250 demo coins
 * @property {string} erc4626 a vault of which the holder has 10 shares, worth 15 demo coins
 * @property {string} hats an ERC-721 contract with metadata, of which the holder has three tokens
 * @property {string} membership a contract in which the holder has a key, and the outsider one that has expired
 * @property {string} poapEvent the event of a POAP that the holder has on the local chain
 * @property {object} tree an entry of the rules of check-roles, a tree of rules that the holder satisfies
 * @property {string} openSeaCollection of which the holder has three items, as the stand-in of OpenSea answers
 * @property {import('./demo-accounts.mjs').DemoAccount} holder has some of each token
 * @property {import('./demo-accounts.mjs').DemoAccount} chatter has one badge
 * @property {import('./demo-accounts.mjs').DemoAccount} outsider has none; the holder has delegated everything to it
 * @property {import('../chain/solana/demo-accounts.mjs').DemoSolana & { rpcUrl: string, chainId: number }} solana
 * @property {{ botToken: string, userAccessToken: string, platform: string }} accountKit tokens of a bot and of a user of `platform`
 * @property {ReturnType<typeof import('./platforms/start.mjs').demoTelegram>} telegram the stand-in of Telegram, a bot and a group
 * @property {ReturnType<typeof import('./platforms/start.mjs').demoDiscord>} discord the stand-in of Discord, an application and a server
 * @property {string} [botAccount] the demo bot's smart account
 * @property {string} [userOperationHash] its first payment
 * @property {string} [solanaTransaction] the first payment of the bot's Solana account
 * @property {string} [solanaSignature] likewise
 * @property {string} receiverUrl where the example receiver of callbacks is
 * @property {{ redisUrl: string, databaseUrl: string }} queue where the queues are; `redisUrl` is empty without Redis
 * @property {string} [polledRequestId] an asynchronous check of this start, finished
 * @property {string} [calledBackRequestId] likewise, one that the receiver was called back for
 * @property {string} [communityId] a community of the holder's, with the outsider as a member
 * @property {string} [holderId] the holder's user id
 * @property {string} [credentialId] a public verifiable credential of the holder, of this start
 * @property {string} [credential] likewise, as it was answered
 * @property {string} [chatUserId] the chat user of the community, as the chat platform knows it
 * @property {string[]} redirectUris of the demo client application
 * @property {string} ownedBy the address of the user who sees the demo client application in the portal; empty for nobody
 */

/** @typedef {Pick<Demo, 'apiKey' | 'clientId' | 'clientSecret' | 'origin' | 'redirectUris' | 'scopes' | 'ownedBy'>} DemoClient */

/** @param {string} root @returns {string} the built command that makes a client application */
export function createClientCommand(root) {
  return bundleOf(root, 'identity', 'create-client.command.js');
}

/**
 * Proves that the suite answers: with the client application of the run before, or a new one when that is unknown now.
 * @param {object} options
 * @param {Omit<Demo, keyof DemoClient>} options.facts
 * @param {() => Promise<DemoClient>} options.create
 * @param {string} options.local
 * @returns {Promise<Demo>} also in demo.json by then
 */
export async function ensureDemo({ facts, create, local }) {
  /** @type {Partial<Demo>} */
  const kept = readJsonIfThere(demoFileIn(local)) ?? {};
  const { apiKey, clientId, clientSecret, origin, redirectUris, scopes, ownedBy } = kept;
  // A client that an earlier version made may do less.
  const isOfToday =
    origin === DEMO_ORIGIN &&
    redirectUris !== undefined &&
    redirectUris.some((uri) => uri.endsWith(EXPLORER_REDIRECT_PATH)) &&
    scopes === SCOPES.join(' ') &&
    ownedBy === facts.holder.address;
  if (apiKey !== undefined && clientId !== undefined && clientSecret !== undefined && isOfToday) {
    const demo = { ...facts, apiKey, clientId, clientSecret, origin, redirectUris, scopes, ownedBy };
    if ((await checkDemo(demo)) === 'granted') return keepDemo(local, demo);
  }
  const demo = { ...facts, ...(await create()) };
  if ((await checkDemo(demo)) === 'refused')
    throw new Error('The gateway refuses the API key that was just made');
  return keepDemo(local, demo);
}

/** @param {string} local @param {Demo} demo */
export function keepDemo(local, demo) {
  writePrivate(demoFileIn(local), `${JSON.stringify(demo, undefined, 2)}\n`);
  return demo;
}

/**
 * The run-time values of the document's examples (libs/dto/src/examples.ts). The document is public: no secrets.
 * @param {string} local
 * @param {Demo} demo
 */
export function keepExamples(local, demo) {
  const { credentialId, credential } = demo;
  const { communityId, clientId, calledBackRequestId, safe, erc900, hats, poapEvent } = demo;
  const { membership, openSeaCollection, solana, accountKit, userOperationHash } = demo;
  const { solanaTransaction, solanaSignature } = demo;
  const values = {
    ...{ communityId, clientId, calledBackRequestId, credentialId, credential },
    startedAt: new Date().toISOString(),
    ...{ safe, erc900, hats, membership, poapEvent, openSeaCollection },
    botToken: accountKit.botToken,
    userOperationHash,
    ...{ solanaTransaction, solanaSignature },
    solanaHolder: solana.holder.address,
    solanaMint: solana.mint,
    solanaCollection: solana.collection,
  };
  writePrivate(join(local, 'examples.json'), `${JSON.stringify(values, undefined, 2)}\n`);
}

/** @param {string} local @returns {string} the file with a Demo */
export const demoFileIn = (local) => join(local, 'demo.json');

/**
 * @param {import('../processes/children.mjs').Children} children
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @param {{ requestsPerSecond?: number, requestsPerMonth?: number, holder?: string }} [options] `holder` is the address of the user who owns it
 */
export async function createDemoClient(
  children,
  root,
  env,
  { requestsPerSecond = 1_000, requestsPerMonth = 100_000_000, holder = '' } = {},
) {
  const flags = ['--name', 'demo', '--plan', 'enterprise', '--implicit', 'on'];
  const redirectUris = [REDIRECT_URI, `${env.PUBLIC_URL}${EXPLORER_REDIRECT_PATH}`];
  const places = ['--redirect-uris', redirectUris.join(' '), '--origins', DEMO_ORIGIN];
  const limits = [
    '--requests-per-second',
    String(requestsPerSecond),
    '--requests-per-month',
    String(requestsPerMonth),
  ];
  const scopes = ['--scopes', SCOPES.join(',')];
  const owner = holder === '' ? [] : ['--account', `eip155:${LOCAL_CHAIN_ID}:${holder}`];
  const log = await children.run(
    'create-client',
    process.execPath,
    [createClientCommand(root), ...flags, ...places, ...limits, ...scopes, ...owner, '--json'],
    { env },
  );
  const line = readFileSync(log, 'utf8')
    .split('\n')
    .findLast((text) => text.startsWith('{'));
  rmSync(log); // it holds the secret, which has its place in demo.json
  if (line === undefined) throw new Error('The create-client command printed no client');
  const { apiKey, clientId, clientSecret } =
    /** @type {Pick<DemoClient, 'apiKey' | 'clientId' | 'clientSecret'>} */ (JSON.parse(line));
  const made = { apiKey, clientId, clientSecret, origin: DEMO_ORIGIN, redirectUris };
  return { ...made, scopes: SCOPES.join(' '), ownedBy: holder };
}
