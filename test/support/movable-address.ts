import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** An address that leads to another server after a failover: new connections reach it, and open ones stay where they are. */
export interface MovableAddress {
  url: (scheme: string) => string;
  moveTo: (target: { port: number }) => void;
  stop: () => Promise<void>;
}

export async function movableAddress(
  port: number,
  { port: first }: { port: number },
): Promise<MovableAddress> {
  let targetPort = first;
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((inbound) => {
    const outbound = track(connect(targetPort, '127.0.0.1'));
    track(inbound).pipe(outbound).pipe(inbound);
    inbound.on('close', () => outbound.destroy());
    outbound.on('close', () => inbound.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: (scheme) => `${scheme}://127.0.0.1:${port}`,
    moveTo: (target) => {
      targetPort = target.port;
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
