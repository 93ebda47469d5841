// Prints an `Authorization` of the demo holder, through the demo client application, with the scopes that are named.
// With `npm start` running: node docs/examples/sign-in-demo-holder.mjs community:read community:write
import { readFile } from 'node:fs/promises';
import { signInWithWallet } from '../../scripts/local/wallet-sign-in.mjs';

const demo = JSON.parse(await readFile('.local/demo.json', 'utf8'));
console.log(await signInWithWallet(demo, demo.holder.privateKey, process.argv.slice(2)));
