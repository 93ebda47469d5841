/**
 * A receiver of callbacks. It verifies each signature and lists the received callbacks, newest first, at GET /.
 *
 *     GATEWAY_URL=http://localhost:3000 PORT=4000 node receive-callbacks.mjs
 */
import { createServer } from 'node:http';
import { verifyCallback } from './verify-callback.mjs';

const { GATEWAY_URL = 'http://localhost:3000', HOST = '127.0.0.1', PORT = '4000' } = process.env;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_CALLBACKS = 100;
const KEY_CACHE_MS = 5 * 60_000;

/** Deliveries by id, because a delivery can arrive more than once. */
/** @type {Map<string, { deliveryId: string, signature: string, body: unknown }>} */
const received = new Map();
/** @type {{ keys: import('node:crypto').JsonWebKey[] }} */
let keySet = { keys: [] };
let keysExpireAt = 0;

async function refreshKeys() {
  const response = await fetch(`${GATEWAY_URL}/.well-known/jwks.json`, {
    signal: AbortSignal.timeout(5_000),
  });
  if (!response.ok) throw new Error(`Loading the public keys failed: ${response.status}`);
  keySet = /** @type {typeof keySet} */ (await response.json());
  keysExpireAt = Date.now() + KEY_CACHE_MS;
}

/** @param {import('node:http').IncomingHttpHeaders} headers @param {string} body */
async function isGenuine(headers, body) {
  if (Date.now() < keysExpireAt && verifyCallback(headers, body, keySet)) return true;
  await refreshKeys(); // keys rotate
  return verifyCallback(headers, body, keySet);
}

/** @param {import('node:http').IncomingMessage} request */
async function read(request) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  for await (const data of request) {
    const chunk = /** @type {Buffer} */ (data);
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('The body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function receive(request, response) {
  const body = await read(request);
  if (!(await isGenuine(request.headers, body))) return response.writeHead(401).end();
  const content = /** @type {{ challenge?: string }} */ (JSON.parse(body));
  const { challenge } = content;
  // Comes when an application is attached to a community; the answer shows that this receiver wants its callbacks.
  if (challenge !== undefined)
    return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ challenge }));
  // A real receiver also checks here that clientId is its own and that it requested this requestId.
  const deliveryId = String(request.headers['x-service-delivery-id']);
  received.set(deliveryId, { deliveryId, signature: 'valid', body: content });
  if (received.size > MAX_CALLBACKS) received.delete(received.keys().next().value ?? '');
  console.log(`${deliveryId}: ${body}`);
  return response.writeHead(204).end();
}

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    receive(request, response).catch((/** @type {unknown} */ error) => {
      console.error(/** @type {Error} */ (error).message);
      response.writeHead(503).end(); // the callback is retried
    });
    return;
  }
  response.setHeader('Content-Type', 'application/json');
  response.end(`${JSON.stringify([...received.values()].reverse(), undefined, 2)}\n`);
});
server.listen(Number(PORT), HOST, () => {
  console.log(`Callbacks are received at http://${HOST}:${PORT}/`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
