// Signs the demo holder in as a program does: a challenge, a signature, an AE token. It also makes an Ethereum credential.
// With `npm start` running: node docs/examples/sign-in-with-ethereum.mjs
import { readFile } from 'node:fs/promises';
import { privateKeyToAccount } from 'viem/accounts';

const demo = /** @type {import('../../scripts/demo/demo-client.mjs').Demo} */ (
  JSON.parse(await readFile('.local/demo.json', 'utf8'))
);
const wallet = privateKeyToAccount(demo.holder.privateKey);
const accountId = `eip155:${demo.chainId}:${wallet.address}`;

/**
 * @template [T=unknown]
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {Record<string, string>} [headers]
 * @param {object} [body]
 * @returns {Promise<{ status: number, body: T }>}
 */
async function call(method, path, headers = {}, body) {
  const response = await fetch(demo.gatewayUrl + path, {
    method,
    headers: { ...headers, ...(body ? { 'Content-Type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, body: /** @type {T} */ (await response.json()) };
}

const key = { 'X-API-Key': demo.apiKey };

/** @param {string} uri @param {string[]} resources */
async function challenge(uri, resources) {
  /** @type {{ status: number, body: { requestId: string, message: string } }} */
  const answer = await call('POST', '/ethereum-login/challenges', key, {
    state: 's1',
    uri,
    accountId,
    resources,
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return answer.body;
}

// 1. Sign in: the message names the application's host and the requested scopes.
const { requestId, message } = await challenge(`${demo.origin}/login`, ['urn:scope:user:read']);
console.log(message);
const signature = await wallet.signMessage({ message });
const signIn = { requestId, signatureType: 'eip191', signature, accountId };
/** @type {{ body: { idToken: string } }} */
const { body } = await call('POST', '/ethereum-login/id-tokens', key, signIn);
const { idToken } = body;

// 2. The AE token permits what the user granted.
console.log('AE', await call('GET', '/account/me', { Authorization: `AE ${idToken}` }));
console.log('AE and key', await call('GET', '/account/me', { Authorization: `AE ${idToken}`, ...key }));

// 3. An Ethereum credential: a message of the service's own host, signed once, valid for a day, read-only.
const own = await challenge(demo.origin, [`${demo.gatewayUrl}/#credential`, 'urn:scope:user:read']);
const encoded = Buffer.from(own.message).toString('base64url');
const credential = `Ethereum ${encoded}.${await wallet.signMessage({ message: own.message })}`;
console.log('Ethereum', await call('GET', '/account/me', { Authorization: credential }));
