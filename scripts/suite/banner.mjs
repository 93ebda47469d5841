import { demoCurl } from '../demo/demo-check.mjs';

/** @import { App } from './apps.mjs' */
/** @import { Demo } from '../demo/demo-client.mjs' */

/**
 * What somebody needs who has just started the suite, in at most 25 lines: one check, and last, where it is seen, where to click.
 * @param {object} about
 * @param {string} about.gatewayUrl
 * @param {boolean} about.hasTestWallet
 * @param {Demo} [about.demo] none when it was not wanted
 * @param {App[]} [about.inspected] the apps that are restarted when their sources change
 */
export function banner({ gatewayUrl, demo, hasTestWallet, inspected = [] }) {
  return `
Gatehouse is up${demo ? '' : ', without demo data'}.

${demo ? firstCheck(demo) : OWN_COMMANDS}

  Guides        ${gatewayUrl}/docs/guides/checks and ${gatewayUrl}/docs
  Operations    ${gatewayUrl}/explorer
  This run      npm start -- --help   (in a second terminal: addresses, logs, and a command for each part)
${inspectors(inspected)}
In a browser, without code

  Open          ${gatewayUrl}
                ${hasTestWallet ? WITH_TEST_WALLET : demo ? WITH_DEMO_KEY : WITH_OWN_WALLET}
  Guide         ${gatewayUrl}/docs/guides/run-a-community

Ctrl-C ends everything.
`;
}

/** @param {Demo} demo */
const firstCheck = (
  demo,
) => `From a program: does the demo holder have one demo coin? This check has the API key of the demo application, and answers "granted":true

  ${demoCurl(demo)}`;

/** @param {App[]} apps */
function inspectors(apps) {
  if (apps.length === 0) return '';
  const lines = apps.map(({ name, inspectorPort }) => `  ${name.padEnd(13)} 127.0.0.1:${inspectorPort}`);
  return `
A change in apps/ or libs/ restarts these apps. Their inspectors, for a debugger (CONTRIBUTING.md, "Debugging"):

${lines.join('\n')}
`;
}

const OWN_COMMANDS = `An API key for a client application of your own (\`npm start\` without --no-demo brings demo data):

  npm run gatehouse -- client create --name mine --plan free --scopes token-gating`;

const WITH_TEST_WALLET = 'Sign in as "Test wallet (local): holder", which takes no wallet of your own.';
const WITH_DEMO_KEY =
  'Sign in with a wallet. The key of the demo holder, an operator, is in .local/demo.json.';
const WITH_OWN_WALLET = 'Sign in with a wallet.';
