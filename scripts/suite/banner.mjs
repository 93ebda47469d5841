import {
  botCurl,
  chatUserCurl,
  demoCurl,
  memberCurl,
  pollCurl,
  solanaCurl,
  walletPageCurl,
} from '../demo/demo-check.mjs';
import { LOCAL_CHAIN_ID } from '../chain/anvil.mjs';
import { SOLANA_CHAIN_ID } from '../chain/solana/start-cluster.mjs';

/** @import { App } from './apps.mjs' */
/** @import { Demo } from '../demo/demo-client.mjs' */

/**
 * What somebody needs who has just started the suite.
 * @param {object} about
 * @param {string} about.gatewayUrl
 * @param {number} about.managementPort of the gateway
 * @param {string} about.rpcUrl
 * @param {string} about.solanaRpcUrl
 * @param {string} about.logs
 * @param {boolean} about.hasTestWallet
 * @param {import('../demo/demo-client.mjs').Demo} [about.demo] none when it was not wanted
 * @param {import('./apps.mjs').App[]} [about.inspected] the apps that are restarted when their sources change
 */
export function banner({
  gatewayUrl,
  managementPort,
  rpcUrl,
  solanaRpcUrl,
  logs,
  demo,
  hasTestWallet,
  inspected = [],
}) {
  const ofDemo = demo && `\n  Receiver   ${demo.receiverUrl}\n  API key    ${demo.apiKey}`;
  return `
Gatehouse is up${demo ? '' : ', without demo data'}.

  Gateway    ${gatewayUrl}
  Portal     ${gatewayUrl}/portal
  Explorer   ${gatewayUrl}/explorer
  Document   ${gatewayUrl}/openapi.json
  Health     http://127.0.0.1:${managementPort}/health/ready
  Chain      ${rpcUrl} (id ${LOCAL_CHAIN_ID})
  Solana     ${solanaRpcUrl} (id ${SOLANA_CHAIN_ID})${ofDemo ?? ''}
  Logs       ${logs}

In a browser, without code (docs/guides/run-a-community.md): open ${gatewayUrl}
${hasTestWallet ? WITH_TEST_WALLET : demo ? WITH_DEMO_KEY : WITH_OWN_WALLET}

${demo ? demoCommands(demo) : OWN_COMMANDS}${inspectors(inspected)} Ctrl-C ends everything.
`;
}

/** @param {App[]} apps */
function inspectors(apps) {
  if (apps.length === 0) return '';
  const lines = apps.map(({ name, inspectorPort }) => `  ${name.padEnd(13)} 127.0.0.1:${inspectorPort}`);
  return `

A change in apps/ or libs/ restarts these apps. Their inspectors, for a debugger (CONTRIBUTING.md, "Debugging"):

${lines.join('\n')}

`;
}

const OWN_COMMANDS = `An API key for a client application of your own:

  npm run gatehouse -- client create --name mine --plan free --scopes token-gating

Run \`npm start\` without --no-demo for demo data.`;

/** @param {Demo} demo */
function demoCommands(demo) {
  const { gatewayUrl } = demo;
  return `Does the demo holder have one demo coin? This answers "granted":true

  ${demoCurl(demo)}

And the demo holder's Solana wallet, one demo token?

  ${solanaCurl(demo)}

The same check was asked for asynchronously. Its result is polled like this

  ${pollCurl(demo, demo.polledRequestId)}
${calledBack(demo)}
The demo holder and the demo outsider are members of a community. Roles there follow from what its members hold:

  ${memberCurl(demo)}

How it developed over 90 days, in charts, for the demo holder (sign in as above)

  ${gatewayUrl}/portal/communities/${demo.communityId}?range=90d

So is a chat user, for whom the demo application linked the holder's wallet. The second line makes a page (\`url\`) on which
they link another one:

  ${chatUserCurl(demo)}
  ${walletPageCurl(demo)}

A chat bot has a smart account, which the first line shows. The second one pays with it, and mints a token:

  ${botCurl(demo)}
  node docs/examples/chat-bot.mjs

What a program does to sign a user in, and to link a second wallet to their account:

  node docs/examples/sign-in-with-ethereum.mjs
  node docs/examples/link-wallet.mjs

All of this for scripts: .local/demo.json.`;
}

/** Nothing where the deployment does not call back to this machine. @param {Demo} demo */
function calledBack(demo) {
  if (demo.calledBackRequestId === undefined) return '';
  return `
or comes by itself, signed, to a callback URL. What the example receiver was called back with, and once more:

  curl -s ${demo.receiverUrl}
  ${demoCurl(demo, { callbackUrl: demo.receiverUrl })}
`;
}

const WITH_TEST_WALLET = `and sign in as "Test wallet (local): holder", which takes no wallet of your own, and approves applications too. Its page
"Test wallet" sells a badge to the outsider: make a community, and see a role follow.`;
const WITH_DEMO_KEY =
  'and sign in with a wallet; the demo holder, whose key is in .local/demo.json, may approve applications too.';
const WITH_OWN_WALLET = 'and sign in with a wallet.';
