import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Forwards TCP connections to a server, and simulates network faults. */
export interface TcpForwarder {
  open: () => Promise<void>;
  /** Stops listening and destroys every connection. */
  close: () => Promise<void>;
  /** Drops all further data in both directions without closing connections. */
  goSilent: () => void;
}

export function tcpForwarder(port: number, target: { host: string; port: number }): TcpForwarder {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    // Either side may report a destroyed connection as an error.
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
