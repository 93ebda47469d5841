// Web servers somewhere else, each on a port of its own, in one process. They write down what reaches them, and when.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { answerAsks } from './asks.mjs';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */

/** @type {Set<number | undefined>} */
const hanging = new Set();
/** @type {[id: string, unixMs: number][]} */
let arrivals = [];
/** @type {{ isThere: () => boolean, resolve: () => void }} */
let awaited = { isThere: () => false, resolve: () => undefined };

/** @param {() => boolean} isThere */
const until = async (isThere) => {
  /** @type {Promise<void>} */
  const arrived = new Promise((resolve) => (awaited = { isThere, resolve }));
  if (!isThere()) await arrived;
  awaited.isThere = () => false;
  return arrivals;
};

/** @param {IncomingMessage} request @param {ServerResponse} response */
const listener = (request, response) => {
  if (hanging.has(request.socket.localPort)) return;
  const id = String(request.headers['x-service-delivery-id'] ?? '');
  arrivals.push([id, performance.timeOrigin + performance.now()]);
  if (awaited.isThere()) awaited.resolve();
  request.resume();
  request.once('end', () => response.writeHead(204).end());
};

answerAsks({
  /** @param {number} count @returns {Promise<number[]>} ports */
  async open(count) {
    const servers = Array.from({ length: count }, () => createServer(listener).listen(0, '127.0.0.1'));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    return servers.map((server) => /** @type {AddressInfo} */ (server.address()).port);
  },
  /** Makes these ports accept and never answer from now on. @param {number[]} ports */
  hang(ports) {
    hanging.clear();
    for (const port of ports) hanging.add(port);
  },
  forget() {
    arrivals = [];
  },
  /**
   * @param {number} count
   * @returns {Promise<[string, number][]>} delivery ids and Unix milliseconds, once so many have come since `forget`
   */
  arrived: (count) => until(() => arrivals.length >= count),
});
