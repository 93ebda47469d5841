import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/**
 * Passes everything on to a node and holds every answer back for a while, as a node far away does.
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function delayedNode(rpcUrl, delayMs) {
  const pool = new Pool(rpcUrl, { connections: 32 });
  const server = createServer(async (request, response) => {
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
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await pool.close();
    },
  };
}
