// Web servers somewhere else, each on a port of its own, in one process. They write down what reaches them, and when.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { answerAsks } from './asks.mjs';

const hanging = new Set();
let arrivals = [];
let awaited = { isThere: () => false, resolve: () => undefined };

const until = async (isThere) => {
  if (!isThere()) await new Promise((resolve) => (awaited = { isThere, resolve }));
  awaited.isThere = () => false;
  return arrivals;
};

const listener = (request, response) => {
  if (hanging.has(request.socket.localPort)) return;
  const id = request.headers['x-service-delivery-id'] ?? '';
  arrivals.push([id, performance.timeOrigin + performance.now()]);
  if (awaited.isThere()) awaited.resolve();
  request.resume();
  request.once('end', () => response.writeHead(204).end());
};

answerAsks({
  /** @returns {Promise<number[]>} ports */
  async open(count) {
    const servers = Array.from({ length: count }, () => createServer(listener).listen(0, '127.0.0.1'));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    return servers.map((server) => server.address().port);
  },
  /** From now on these ports accept and never answer. */
  hang(ports) {
    hanging.clear();
    for (const port of ports) hanging.add(port);
  },
  forget() {
    arrivals = [];
  },
  /** @returns {Promise<[string, number][]>} delivery ids and Unix milliseconds, once so many have come since `forget` */
  arrived: (count) => until(() => arrivals.length >= count),
});
