import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be missing, cut, and go silent, as networks do. */
export interface TcpForwarder {
  open: () => Promise<void>;
  /** Nothing listens any more and every connection is cut. */
  close: () => Promise<void>;
  /** From now on nothing gets through, in either direction, and nobody is told. */
  goSilent: () => void;
}

export function tcpForwarder(port: number, target: { host: string; port: number }): TcpForwarder {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    // A cut connection is what these tests are about: either side may see it as an error.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((inbound) => {
    const outbound = track(connect(target));
    track(inbound).pipe(outbound).pipe(inbound);
    inbound.on('close', () => outbound.destroy());
    outbound.on('close', () => inbound.destroy());
  });
  return {
    open: async () => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    goSilent: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}
