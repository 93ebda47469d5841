import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { z } from 'zod';
import { GatehouseApi } from './gatehouse-api.js';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A deployment that gives these answers, one after the other; 0 ends the connection without one. */
async function answering(...statuses: number[]): Promise<GatehouseApi> {
  const started = createServer((request, response) => {
    const status = statuses.shift();
    request.resume();
    if (status === undefined || status === 0) response.destroy();
    else response.writeHead(status).end();
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const { port } = started.address() as AddressInfo;
  return new GatehouseApi(`http://127.0.0.1:${String(port)}`, () => Promise.resolve({}));
}

it.each([[0], [503]])(
  'API of a deployment: a deletion without an answer (%i) is done where a repetition finds nothing',
  async (first) => {
    const api = await answering(first, 404);
    await expect(api.call('DELETE', '/roles/fish', z.unknown())).resolves.toBeUndefined();
  },
);

it('API of a deployment: a deletion of what is not there is refused', async () => {
  const api = await answering(404);
  await expect(api.call('DELETE', '/roles/fish', z.unknown())).rejects.toMatchObject({ status: 404 });
});

it('API of a deployment: only a deletion may find nothing after a repetition', async () => {
  const api = await answering(503, 404);
  await expect(api.call('PUT', '/roles/fish', z.unknown())).rejects.toMatchObject({ status: 404 });
});
