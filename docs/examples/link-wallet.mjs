// Links a second wallet to the demo holder's account: a message to sign, a signature, and what the wallet holds.
// With `npm start` running: node docs/examples/link-wallet.mjs
import { readFile } from 'node:fs/promises';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const demo = /** @type {import('../../scripts/demo/demo-client.mjs').Demo} */ (
  JSON.parse(await readFile('.local/demo.json', 'utf8'))
);

/**
 * @template [T=unknown]
 * @param {'GET' | 'POST' | 'DELETE'} method
 * @param {string} path
 * @param {Record<string, string>} [headers]
 * @param {object} [body]
 * @returns {Promise<T>}
 */
async function call(method, path, headers = {}, body) {
  const response = await fetch(demo.gatewayUrl + path, {
    method,
    headers: { ...headers, ...(body ? { 'Content-Type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return /** @type {T} */ (text === '' ? undefined : JSON.parse(text));
}

// 1. Sign the demo holder in, with the right to read and write wallets (see sign-in-with-ethereum.mjs).
const holder = privateKeyToAccount(demo.holder.privateKey);
const accountId = `eip155:${demo.chainId}:${holder.address}`;
const key = { 'X-API-Key': demo.apiKey };
const resources = ['urn:scope:user:wallet:read', 'urn:scope:user:wallet:write'];
const request = { uri: `${demo.origin}/`, accountId, resources };
/** @type {{ requestId: string, message: string }} */
const challenge = await call('POST', '/ethereum-login/challenges', key, request);
/** @type {{ idToken: string }} */
const { idToken } = await call('POST', '/ethereum-login/id-tokens', key, {
  requestId: challenge.requestId,
  signature: await holder.signMessage({ message: challenge.message }),
  accountId,
});
const user = { Authorization: `AE ${idToken}` };

// 2. The message that the other wallet signs (EIP-4361). It is valid for this user, this wallet and one attempt.
const other = privateKeyToAccount(generatePrivateKey());
/** @type {{ message: string }} */
const { message } = await call('GET', `/account/auth-message?address=${other.address}`, user);
console.log(message);

// 3. The proof. The response has the balances of the tokens that this deployment watches.
const signedMessage = await other.signMessage({ message });
const proof = { address: other.address, message, signedMessage };
console.log('linked', await call('POST', '/account/wallet-address', user, proof));
console.log('wallets', await call('GET', '/account/wallets?limit=10', user));

// 4. Remove the wallet again.
await call('DELETE', `/account/wallets/${other.address}`, user);
console.log('wallets', await call('GET', '/account/wallets', user));
