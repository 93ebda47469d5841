// Links a demo wallet (`holder` or `outsider`) on the page that a chat user was sent, as a person does in a browser.
// With `npm start` running: node docs/examples/link-on-wallet-page.mjs http://localhost:3000/wallet-links/… holder
import { readFile } from 'node:fs/promises';
import { privateKeyToAccount } from 'viem/accounts';
import { linkOnWalletPage } from '../../scripts/demo/wallet-page.mjs';

const [url = '', name = 'holder'] = process.argv.slice(2);
if (name !== 'holder' && name !== 'outsider') throw new Error('Name a wallet: holder or outsider');
const demo = /** @type {import('../../scripts/demo/demo-client.mjs').Demo} */ (
  JSON.parse(await readFile('.local/demo.json', 'utf8'))
);
const { roles = [] } = await linkOnWalletPage(url, privateKeyToAccount(demo[name].privateKey), demo.chainId);
console.log(`linked, with ${roles.length === 0 ? 'no role' : `the role ${roles.join(', ')}`}`);
