import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { askReady } from '../../scripts/processes/app-processes.mjs';
import { hasEnded, type RunningApp } from './running-app.js';

const ASK_EACH_MS = 200;
/** The name of the error of `askReady` when there was no answer in time. */
const LATE = 'TimeoutError';

/**
 * What stands before the instances of an app in a cluster: one address, connections in turns to those that are ready. It refuses connections
 * where none is, as kube-proxy does for a Service without ready endpoints.
 */
export interface Balancer {
  url: string;
  /** Resolves when it has been seen whether it is ready. */
  add: (app: RunningApp) => Promise<void>;
  /** Whether an instance gets connections. */
  isServing: (app: RunningApp) => boolean;
  stop: () => Promise<void>;
}

export async function balancer(): Promise<Balancer> {
  const ready = new Set<RunningApp>();
  const late = new Set<RunningApp>();
  let turn = 0;
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    // An instance that was killed is what these tests are about: either side may see it as an error.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inbound) => {
    track(inbound);
    const instance = [...ready][(turn += 1) % ready.size];
    if (instance === undefined) {
      inbound.destroy();
      return;
    }
    const { hostname, port } = new URL(instance.url);
    const outbound = track(
      connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true }),
    );
    inbound.pipe(outbound).pipe(inbound);
    inbound.on('close', () => outbound.destroy());
    outbound.on('close', () => inbound.destroy());
  });
  const stopping = new AbortController();
  const look = async (app: RunningApp): Promise<void> => {
    const problem = await askReady(new URL(app.managementUrl).port);
    const wasLate = late.delete(app);
    if (problem === LATE) late.add(app);
    if (problem === undefined) ready.add(app);
    // A single late answer is no reason, as in a cluster: a busy machine may stop a process for seconds.
    else if (problem !== LATE || wasLate || hasEnded(app.process)) ready.delete(app);
    await listenWhileReady();
  };
  let opening: Promise<unknown> | undefined;
  const listenWhileReady = async (): Promise<void> => {
    if (opening) await opening;
    if (ready.size === 0 && server.listening) server.close();
    if (ready.size === 0 || server.listening) return;
    opening = once(server, 'listening').finally(() => (opening = undefined));
    server.listen(port, '127.0.0.1');
    await opening;
  };
  const watch = async (app: RunningApp): Promise<void> => {
    let isGone = false;
    while (!stopping.signal.aborted && !isGone) {
      await sleep(ASK_EACH_MS);
      isGone = hasEnded(app.process);
      await look(app);
    }
  };
  const watching: Promise<void>[] = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    add: async (app) => {
      await look(app);
      watching.push(watch(app));
    },
    isServing: (app) => ready.has(app) && server.listening,
    stop: async () => {
      stopping.abort();
      await Promise.all(watching);
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
