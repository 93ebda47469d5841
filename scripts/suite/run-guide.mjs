import { LOCAL_CHAIN_ID } from '../chain/anvil.mjs';
import { SOLANA_CHAIN_ID } from '../chain/solana/start-cluster.mjs';
import {
  botCurl,
  chatUserCurl,
  demoCurl,
  memberCurl,
  pollCurl,
  solanaCurl,
  walletPageCurl,
} from '../demo/demo-check.mjs';

/** @import { Demo } from '../demo/demo-client.mjs' */

/**
 * @typedef {object} RunAddresses where the parts of a run are
 * @property {string} gatewayUrl
 * @property {number} managementPort of the gateway
 * @property {string} rpcUrl
 * @property {string} solanaRpcUrl
 * @property {string} logs a folder
 */

/**
 * The addresses of a run and a command for each part of its demo data, for `npm start -- --help` beside the run.
 * @param {RunAddresses} addresses
 * @param {Demo} [demo] none where the run has no demo data
 */
export function runGuide({ gatewayUrl, managementPort, rpcUrl, solanaRpcUrl, logs }, demo) {
  const ofDemo = demo ? `\n  Receiver   ${demo.receiverUrl}\n  API key    ${demo.apiKey}` : '';
  return `
What runs now

  Gateway    ${gatewayUrl}
  Portal     ${gatewayUrl}/portal/communities
  Explorer   ${gatewayUrl}/explorer
  Document   ${gatewayUrl}/openapi.json
  Health     http://127.0.0.1:${managementPort}/health/ready
  Chain      ${rpcUrl} (id ${LOCAL_CHAIN_ID})
  Solana     ${solanaRpcUrl} (id ${SOLANA_CHAIN_ID})${ofDemo}
  Logs       ${logs}
${demo ? demoCommands(demo) : ''}`;
}

/** @param {Demo} demo */
function demoCommands(demo) {
  return `
Does the demo holder have one demo coin? This answers "granted":true

  ${demoCurl(demo)}

And the demo holder's Solana wallet, one demo token?

  ${solanaCurl(demo)}

The same check was asked for asynchronously. Its result is polled like this

  ${pollCurl(demo, demo.polledRequestId)}
${calledBack(demo)}
The demo holder and the demo outsider are members of a community. Roles there follow from what its members hold:

  ${memberCurl(demo)}

How it developed over 90 days, in charts, for the demo holder

  ${demo.gatewayUrl}/portal/communities/${demo.communityId}?range=90d

So is a chat user, for whom the demo application linked a wallet with a badge. The second line makes a page (\`url\`) on which
they link another one:

  ${chatUserCurl(demo)}
  ${walletPageCurl(demo)}

A chat bot has a smart account, which the first line shows. The second one pays with it, and mints a token:

  ${botCurl(demo)}
  node docs/examples/chat-bot.mjs

Where the bots of docs/guides/telegram-group.md and discord-server.md are tried, without the real Telegram and Discord:

  ${demo.telegram.page}
  ${demo.discord.page}

What a program does to sign a user in, and to link a second wallet to their account:

  node docs/examples/sign-in-with-ethereum.mjs
  node docs/examples/link-wallet.mjs

All of this for scripts: .local/demo.json.
`;
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
