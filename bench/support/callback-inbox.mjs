import { once } from 'node:events';
import { createServer } from 'node:http';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */

/** A receiver in this process that somebody waits at. */
export async function callbackInbox() {
  /** @type {Set<string>} what came before anybody asked for it */
  const early = new Set();
  /** @type {Map<string, () => void>} who waits, by request id */
  const waiting = new Map();
  /** @param {IncomingMessage} request @param {ServerResponse} response */
  const answerRequest = async (request, response) => {
    const chunks = /** @type {Buffer[]} */ (await request.toArray());
    response.writeHead(204).end();
    const { requestId } = /** @type {{ requestId: string }} */ (JSON.parse(Buffer.concat(chunks).toString()));
    if (!waiting.has(requestId)) early.add(requestId);
    waiting.get(requestId)?.();
    waiting.delete(requestId);
  };
  const server = createServer((request, response) => {
    void answerRequest(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}/hook`,
    /** Resolves when the callback of this check has come. @param {string} requestId */
    async received(requestId) {
      if (early.delete(requestId)) return;
      /** @type {Promise<void>} */
      const arrived = new Promise((resolve) => waiting.set(requestId, resolve));
      await arrived;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
