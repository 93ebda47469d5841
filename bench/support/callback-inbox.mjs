import { once } from 'node:events';
import { createServer } from 'node:http';

/** A receiver in this process that somebody waits at. */
export async function callbackInbox() {
  /** What came before anybody asked for it, and who waits, by request id. */
  const early = new Set();
  const waiting = new Map();
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(204).end();
    const { requestId } = JSON.parse(Buffer.concat(chunks).toString());
    if (!waiting.has(requestId)) early.add(requestId);
    waiting.get(requestId)?.();
    waiting.delete(requestId);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/hook`,
    /** Resolves when the callback of this check has come. */
    async received(requestId) {
      if (!early.delete(requestId)) await new Promise((resolve) => waiting.set(requestId, resolve));
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
