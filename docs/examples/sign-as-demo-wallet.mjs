// Signs a text as a wallet of the demo: a challenge as JSON comes in, a signature goes out.
// With `npm start` running: … | node docs/examples/sign-as-demo-wallet.mjs holder
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { privateKeyToAccount } from 'viem/accounts';

const [name = 'holder'] = process.argv.slice(2);
if (name !== 'holder' && name !== 'outsider') throw new Error('Name a wallet: holder or outsider');
const demo = /** @type {import('../../scripts/demo/demo-client.mjs').Demo} */ (
  JSON.parse(await readFile('.local/demo.json', 'utf8'))
);
const { message } = /** @type {{ message: string }} */ (JSON.parse(await text(process.stdin)));
console.log(await privateKeyToAccount(demo[name].privateKey).signMessage({ message }));
