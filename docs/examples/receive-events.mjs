/**
 * A receiver of a callback endpoint. It verifies each delivery with the library of Standard Webhooks, and prints the events.
 *
 *     npm install standardwebhooks
 *     ENDPOINT_SECRET=whsec_… PORT=4100 node receive-events.mjs
 */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { ENDPOINT_SECRET = '', HOST = '127.0.0.1', PORT = '4100' } = process.env;
const MAX_BODY_BYTES = 1024 * 1024;
const webhook = new Webhook(ENDPOINT_SECRET);

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
  const headers = /** @type {Record<string, string>} */ (request.headers);
  // Throws where no signature matches or the time is not of these minutes.
  const event = /** @type {{ type?: string, data?: unknown, challenge?: string }} */ (
    webhook.verify(body, headers)
  );
  if (event.challenge !== undefined)
    return response.writeHead(200).end(JSON.stringify({ challenge: event.challenge }));
  // A real receiver remembers webhook-id for three days: a delivery can arrive more than once.
  console.log(`${String(event.type)} ${JSON.stringify(event.data)}`);
  return response.writeHead(204).end();
}

createServer((request, response) => {
  receive(request, response).catch((/** @type {unknown} */ error) => {
    console.error(/** @type {Error} */ (error).message);
    response.writeHead(401).end();
  });
}).listen(Number(PORT), HOST);
