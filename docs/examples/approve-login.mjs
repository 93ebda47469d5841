// Does what a person does in the browser for `client login`: signs in as a wallet of the demo, and allows what the command asks for.
// With `npm start` running: npm run -s client -- login > login.txt & node docs/examples/approve-login.mjs holder login.txt
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';

const [name = 'holder', file = 'login.txt'] = process.argv.slice(2);
if (name !== 'holder' && name !== 'outsider') throw new Error('Name a wallet: holder or outsider');
const demo = /** @type {import('../../scripts/demo/demo-client.mjs').Demo} */ (
  JSON.parse(await readFile('.local/demo.json', 'utf8'))
);
const wallet = privateKeyToAccount(demo[name].privateKey);
const address = await waitForAddress();
const { origin } = new URL(address);
/** @type {Map<string, string>} */
const cookies = new Map();

/** The address that the command shows. */
async function waitForAddress() {
  for (;;) {
    const found = /^ {2}(http\S+)$/m.exec(await readFile(file, 'utf8').catch(() => ''))?.[1];
    if (found !== undefined) return found;
    await sleep(100);
  }
}

/** @param {string} url @param {RequestInit} [init] */
async function open(url, init = {}) {
  const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const headers = new Headers(init.headers);
  headers.set('cookie', cookie);
  headers.set('origin', origin);
  const response = await fetch(new URL(url, origin), { redirect: 'manual', ...init, headers });
  for (const line of response.headers.getSetCookie()) {
    const [key = '', value = ''] = (line.split(';')[0] ?? '').split('=');
    cookies.set(key, value);
  }
  return response;
}

/** Follows redirects, as a browser does, as far as the next page or the command's own address. @param {string} url @param {RequestInit} [init] */
async function follow(url, init) {
  let [at, response] = [new URL(url, origin), await open(url, init)];
  for (;;) {
    const text = await response.text();
    const next =
      response.headers.get('location') ??
      /<meta http-equiv="refresh" content="0; url=([^"]+)">/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    if (next === undefined) return { url: at, text };
    at = new URL(next, at);
    if (at.origin !== origin) return { url: at, text };
    response = await open(at.href);
  }
}

/** @param {string} path @param {object} body @returns {Promise<Record<string, string>>} */
async function post(path, body) {
  const response = await open(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(await response.text());
  return /** @type {Record<string, string>} */ (await response.json());
}

/** @param {string} text of a page */
const csrfOf = (text) => /(?:data-csrf|name="csrf" value)="([^"]+)"/.exec(text)?.[1] ?? '';

const login = await follow(address);
const csrf = csrfOf(login.text);
const accountId = `eip155:${demo.chainId}:${wallet.address}`;
const { requestId, message = '' } = await post('/login/challenges', { csrf, accountId });
const signature = await wallet.signMessage({ message });
const uid = login.url.pathname.replace('/login/', '');
await post('/login/sessions', { csrf, requestId, accountId, signatureType: 'eip191', signature, uid });

const consent = await follow(address);
const body = new URLSearchParams({ csrf: csrfOf(consent.text), decision: 'grant' });
for (const [, field = ''] of consent.text.matchAll(/name="(scope\.[^"]+)"/g)) body.set(field, 'on');
const back = await follow(consent.url.href, { method: 'POST', body });
const done = await fetch(back.url);
if (!done.ok) throw new Error(await done.text());
