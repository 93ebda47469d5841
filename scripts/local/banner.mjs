import {
  botCurl,
  chatUserCurl,
  demoCurl,
  memberCurl,
  pollCurl,
  solanaCurl,
  walletPageCurl,
} from './demo-check.mjs';

/** What somebody needs who has just started the suite. @param {import('./demo-client.mjs').Demo} demo */
export function banner(demo, { managementPort, logs, hasTestWallet }) {
  const { gatewayUrl } = demo;
  return `
Gatehouse is up.

  Gateway    ${gatewayUrl}
  Portal     ${gatewayUrl}/portal
  Explorer   ${gatewayUrl}/explorer
  Document   ${gatewayUrl}/openapi.json
  Health     http://127.0.0.1:${managementPort}/health/ready
  Chain      ${demo.rpcUrl} (id ${demo.chainId})
  Solana     ${demo.solana.rpcUrl} (id ${demo.solana.chainId})
  Receiver   ${demo.receiverUrl}
  API key    ${demo.apiKey}
  Logs       ${logs}

Does the demo holder have one demo coin? This answers "granted":true

  ${demoCurl(demo)}

And the demo holder's Solana wallet, one demo token?

  ${solanaCurl(demo)}

The same check was asked for asynchronously. Its result is polled like this

  ${pollCurl(demo, demo.polledRequestId)}
${calledBack(demo)}
The demo holder and the demo outsider are members of a community. Roles there follow from what its members hold:

  ${memberCurl(demo)}

How it developed over 90 days, in charts, for the demo holder (sign in as below)

  ${gatewayUrl}/portal/communities/${demo.communityId}?range=90d

So is a chat user, for whom the demo application linked the holder's wallet. The second line makes a page (\`url\`) on which
they link another one:

  ${chatUserCurl(demo)}
  ${walletPageCurl(demo)}

A chat bot has a smart account, which the first line shows. The second one pays with it, and mints a token:

  ${botCurl(demo)}
  node docs/examples/chat-bot.mjs

${signIn(hasTestWallet)}
What a program does to sign a user in, and to link a second wallet to their account:

  node docs/examples/sign-in-with-ethereum.mjs
  node docs/examples/link-wallet.mjs

All of this for scripts: .local/demo.json. Ctrl-C ends everything.
`;
}

/** Nothing where the deployment does not call back to this machine. */
function calledBack(demo) {
  if (demo.calledBackRequestId === undefined) return '';
  return `
or comes by itself, signed, to a callback URL. What the example receiver was called back with, and once more:

  curl -s ${demo.receiverUrl}
  ${demoCurl(demo, { callbackUrl: demo.receiverUrl })}
`;
}

const signIn = (hasTestWallet) =>
  hasTestWallet
    ? 'Sign in at the portal as "Test wallet (local): holder", who approves applications too; it takes no wallet of your own.'
    : 'Sign in at the portal with a wallet; the demo holder, whose key is in .local/demo.json, may approve applications too.';
