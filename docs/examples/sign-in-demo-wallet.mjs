// Prints the value of `Authorization` for a demo wallet (`holder` or `outsider`), signed in through the demo client
// application with the given scopes.
// With `npm start` running: node docs/examples/sign-in-demo-wallet.mjs holder community:read community:write
import { readFile } from 'node:fs/promises';
import { signInWithWallet } from '../../scripts/demo/wallet-sign-in.mjs';

const [wallet, ...scopes] = process.argv.slice(2);
const demo = /** @type {import('../../scripts/demo/demo-client.mjs').Demo} */ (
  JSON.parse(await readFile('.local/demo.json', 'utf8'))
);
if (wallet !== 'holder' && wallet !== 'outsider') throw new Error('Name a wallet first: holder or outsider');
console.log(await signInWithWallet(demo, demo[wallet].privateKey, scopes));
