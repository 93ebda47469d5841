import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Forwards TCP connections to a server, and simulates network faults. */
export interface TcpForwarder {
  open: () => Promise<void>;
  /** Stops listening and destroys every connection. */
  close: () => Promise<void>;
  /** Drops all further data of open connections in both directions without closing them. New ones work. */
  goSilent: () => void;
  /** Drops the data of open connections as `goSilent` does, and of new ones too until it is opened again. */
  freeze: () => void;
}

export function tcpForwarder(port: number, target: { host: string; port: number }): TcpForwarder {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    // Either side may report a destroyed connection as an error.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const goSilent = (): void => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  const server = createServer((inbound) => {
    if (isFrozen) {
      track(inbound);
      return;
    }
    const outbound = track(connect(target));
    track(inbound).pipe(outbound).pipe(inbound);
    inbound.on('close', () => outbound.destroy());
    outbound.on('close', () => inbound.destroy());
  });
  return {
    open: async () => {
      isFrozen = false;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    goSilent,
    freeze: () => {
      isFrozen = true;
      goSilent();
    },
  };
}
