import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */

/**
 * Passes everything on to a node and holds every answer back for a while, as a node far away does.
 * @param {string} rpcUrl
 * @param {number} delayMs
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function delayedNode(rpcUrl, delayMs) {
  const pool = new Pool(rpcUrl, { connections: 32 });
  /** @param {IncomingMessage} request @param {ServerResponse} response */
  const answerRequest = async (request, response) => {
    const held = sleep(delayMs);
    const answer = await pool.request({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/json' },
      body: request,
    });
    const body = Buffer.from(await answer.body.arrayBuffer());
    await held;
    response.setHeader('content-type', 'application/json');
    response.end(body);
  };
  const server = createServer((request, response) => {
    void answerRequest(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await pool.close();
    },
  };
}
